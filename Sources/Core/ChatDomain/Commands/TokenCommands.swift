import ChatModel

extension CreateToken {
    package static let defaultSeconds: Int64 = 3_600

    /// - Throws: 1032 if the lifetime is less than one second or more than 100 years.
    package func lifetime() throws(Rejection) -> Int64 {
        let seconds = seconds ?? Self.defaultSeconds
        guard FieldLimits.tokenSeconds.contains(seconds) else {
            throw Rejection(.invalidValue, "seconds: must be 1 to \(FieldLimits.tokenSeconds.upperBound)")
        }
        return seconds
    }
}

/// Checks whether a user can connect. The API asks before it signs and returns a token.
///
/// Not in the command table.
package struct CheckActive: Query {
    package struct Response: Codable, Sendable {}
    package static let method = "user.check_active"
    private let userID: UserID

    package init(userID: UserID) { self.userID = userID }

    /// - Throws: 1000 for an unknown user, 1008 for a deactivated user, 1055 for one banned from the app.
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        let user = try state.user(userID).id
        if let refusal = state.refusal(of: user) ?? state.banRefusal(of: user, at: context.now) { throw refusal }
        return Response()
    }
}
