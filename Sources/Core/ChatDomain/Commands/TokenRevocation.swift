import ChatModel

extension RevokeTokens: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.user(userID)
        let now = context.now / 1_000
        let second = before ?? now
        // Milliseconds instead of seconds would lock the user out permanently.
        guard second >= 0, second <= now + FieldLimits.revocationLeadSeconds else {
            throw Rejection(
                .invalidValue,
                "before: must be seconds since 1970, at most \(FieldLimits.revocationLeadSeconds) s from now")
        }
        return Decision(second > user.tokensRevokedBefore ? [.tokensRevoked(user.id, before: second)] : [])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        let user = try state.user(userID)
        return Response(user: user.view(context.presence), before: user.tokensRevokedBefore)
    }
}

extension ChatState {
    /// - Returns: Seconds since 1970; 0 for an unknown user, or a user without revoked tokens.
    package func tokensRevokedBefore(_ user: UserID) -> Int64 {
        users[user]?.tokensRevokedBefore ?? erased.tokensRevokedBefore(user)
    }

    /// The second before which tokens are revoked, for each user with revoked tokens.
    package var tokenRevocations: [UserID: Int64] {
        var seconds: [UserID: Int64] = [:]
        for user in users.values where user.tokensRevokedBefore > 0 { seconds[user.id] = user.tokensRevokedBefore }
        return seconds
    }
}
