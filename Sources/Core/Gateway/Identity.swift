import ChatModel

/// The user identified by a valid token.
package struct Identity: Sendable, Equatable {
    package let user: UserID
    /// Milliseconds from verification until the token expires; `nil` if it never does.
    package let validFor: Int64?
    /// The token's issue time in seconds since 1970, 0 if it has none; `nil` without a revocable token.
    package let issuedAt: Int64?

    package init(user: UserID, validFor: Int64?, issuedAt: Int64? = nil) {
        self.user = user
        self.validFor = validFor
        self.issuedAt = issuedAt
    }

    /// Returns whether the session's token was issued before this second.
    package func wasIssued(before second: Int64) -> Bool { issuedAt.map { $0 < second } ?? false }
}

/// A verifier of tokens.
package protocol TokenChecker: Sendable {
    /// - Parameter completion: Called once, on any queue, possibly before this method returns.
    func verify(
        _ token: String?, then completion: @escaping @Sendable (Result<Identity, TokenRefusal>) -> Void)
}

/// The reason a token was refused.
package enum TokenRefusal: Error, Sendable, Equatable {
    case missing
    case invalid
    case expired
    /// The verifier is overloaded or has no keys yet; a retry may succeed.
    case unavailable

    /// The error for a client that may retry later or with another token; `nil` if it may not.
    package var retryableRejection: Rejection? {
        switch self {
        case .missing, .invalid: nil
        case .expired: Rejection(.tokenExpired)
        case .unavailable: Rejection(.tooManyRequests, "authentication")
        }
    }
}
