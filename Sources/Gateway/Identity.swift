import ChatModel
import WireProtocol

/// Whom a valid token names.
package struct Identity: Sendable, Equatable {
    package let user: UserID
    /// Milliseconds from its verification until it expires; `nil` when it never does.
    package let validFor: Int64?
    /// Seconds since 1970, 0 for a token that does not say when it was issued; `nil` where no token was judged that could
    /// be revoked.
    package let issuedAt: Int64?

    package init(user: UserID, validFor: Int64?, issuedAt: Int64? = nil) {
        self.user = user
        self.validFor = validFor
        self.issuedAt = issuedAt
    }

    /// Whether tokens that were issued before this second are those it came with.
    package func isIssued(before second: Int64) -> Bool { issuedAt.map { $0 < second } ?? false }
}

/// What judges tokens.
package protocol TokenChecker: Sendable {
    /// - Parameter handOver: Called once, on any queue, perhaps before this returns.
    func verify(
        _ token: String?, then handOver: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void)
}

/// Why a token was not taken.
package enum TokenRefusal: Error, Sendable, Equatable {
    case missing
    case invalid
    case expired
    /// Whoever judges has no time for it, or no keys yet: of use to try again.
    case unavailable

    /// What the client is told where it may come again: with another token, or after a while. `nil` where it may not.
    package var passing: Rejection? {
        switch self {
        case .missing, .invalid: nil
        case .expired: Rejection(.tokenExpired)
        case .unavailable: Rejection(.tooManyRequests, "authentication")
        }
    }
}
