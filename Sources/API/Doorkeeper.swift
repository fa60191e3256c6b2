import Gateway
import HTTPTypes

/// What someone shows to say who they are.
package struct Presented: Sendable {
    package enum Occasion: Sendable {
        case connect, refresh, request
    }

    /// Nil or empty when there is none.
    package let token: String?
    /// Of the request, or of the upgrade.
    package let fields: HTTPFields
    /// Of the client, where that is known.
    package let address: String?
    package let occasion: Occasion

    package init(token: String?, fields: HTTPFields, address: String?, occasion: Occasion) {
        self.token = token
        self.fields = fields
        self.address = address
        self.occasion = occasion
    }
}

/// What judges who comes by more than a token.
package protocol Doorkeeper: Sendable {
    /// - Parameter handOver: Called once, on any queue, perhaps before this returns.
    func verify(
        _ presented: Presented, then handOver: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void)
}
