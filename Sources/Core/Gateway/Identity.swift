import ChatModel

/// The user identified by a valid token.
package struct Identity: Sendable, Equatable {
    package let user: UserID
    /// Milliseconds from verification until the token expires; `nil` when it never does.
    package let validFor: Int64?
    /// Seconds since 1970, 0 for a token without an issue time; `nil` when there was no revocable token.
    package let issuedAt: Int64?

    package init(user: UserID, validFor: Int64?, issuedAt: Int64? = nil) {
        self.user = user
        self.validFor = validFor
        self.issuedAt = issuedAt
    }

    /// Whether the session's token was issued before this second.
    package func wasIssued(before second: Int64) -> Bool { issuedAt.map { $0 < second } ?? false }
}

/// Verifies tokens.
package protocol TokenChecker: Sendable {
    /// - Parameter completion: Called once, on any queue, possibly before this returns.
    func verify(
        _ token: String?, then completion: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void)
}

/// Why a token was not accepted.
package enum TokenRefusal: Error, Sendable, Equatable {
    case missing
    case invalid
    case expired
    /// The verifier is overloaded or has no keys yet; trying again may help.
    case unavailable

    /// The error for a client that may try again, with another token or later; `nil` when it may not.
    package var retryableRejection: Rejection? {
        switch self {
        case .missing, .invalid: nil
        case .expired: Rejection(.tokenExpired)
        case .unavailable: Rejection(.tooManyRequests, "authentication")
        }
    }
}
