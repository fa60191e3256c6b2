import ChatModel

/// Whom a valid token names.
package struct Identity: Sendable, Equatable {
    package let user: UserID
    /// Milliseconds from its verification until it expires; `nil` when it never does.
    package let validFor: Int64?

    package init(user: UserID, validFor: Int64?) {
        self.user = user
        self.validFor = validFor
    }
}

/// Why a token was not taken.
package enum TokenRefusal: Error, Sendable, Equatable {
    case missing
    case invalid
    case expired
}
