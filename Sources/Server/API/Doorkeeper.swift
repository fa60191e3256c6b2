import Gateway
import HTTPTypes

/// The credentials that a client presents.
package struct Presented: Sendable {
    package enum Occasion: Sendable {
        case connect, refresh, request
    }

    /// Nil or empty if absent.
    package let token: String?
    /// Of the request, or of the upgrade request.
    package let fields: HTTPFields
    /// The client's address, if known.
    package let address: String?
    package let occasion: Occasion

    package init(token: String?, fields: HTTPFields, address: String?, occasion: Occasion) {
        self.token = token
        self.fields = fields
        self.address = address
        self.occasion = occasion
    }
}

/// Authenticates clients by more than a token.
package protocol Doorkeeper: Sendable {
    /// - Parameter handOver: Called exactly once, on any queue, possibly before this returns.
    func verify(
        _ presented: Presented, then handOver: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void)
}
