import Gateway
import HTTPTypes

/// The credentials that a client presented.
package struct PresentedCredentials: Sendable {
    package enum Occasion: Sendable {
        case connect, refresh, request
    }

    /// Nil or empty if absent.
    package let token: String?
    /// The header fields of the request, or of the upgrade request.
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

/// Authenticates clients in place of Belfry's tokens, possibly by other header fields.
package protocol Authenticator: Sendable {
    /// - Parameter completion: Called exactly once, on any queue, possibly before this returns.
    func verify(
        _ presented: PresentedCredentials,
        then completion: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void)
}
