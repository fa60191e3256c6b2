import ChatModel

extension CreateToken {
    package static let defaultSeconds: Int64 = 3_600

    /// - Throws: 1032 if the token would not be valid at all, or for more than 100 years.
    package func lifetime() throws(Rejection) -> Int64 {
        let seconds = seconds ?? Self.defaultSeconds
        guard FieldLimits.tokenSeconds.contains(seconds) else {
            throw Rejection(.invalidValue, "seconds: 1 to \(FieldLimits.tokenSeconds.upperBound)")
        }
        return seconds
    }
}

/// Returns a token that is already signed, if its user may have one. Signing needs keys and its own queue; the chat
/// decides whether the user may connect.
package struct HandOutToken: Query {
    package typealias Response = CreateToken.Response
    package static let method = CreateToken.method
    package let userID: UserID
    /// `nil` if signing failed.
    package let token: String?
    /// Milliseconds since 1970.
    package let expiresAt: Int64
    /// False if the server only verifies tokens issued elsewhere and has no key to sign its own.
    package let hasKey: Bool

    package init(userID: UserID, token: String?, expiresAt: Int64, hasKey: Bool = true) {
        self.userID = userID
        self.token = token
        self.expiresAt = expiresAt
        self.hasKey = hasKey
    }

    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        guard hasKey else { throw Rejection(.featureDisabled, "token.create: the server has no key to sign with") }
        if let refusal = state.refusal(of: try state.user(userID).id) { throw refusal }
        guard let token else { throw Rejection(.internal, "token") }
        return Response(token: token, expiresAt: expiresAt)
    }
}
