import ChatModel

extension DeactivateUser: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        Decision(try state.user(userID).isActive ? [.userDeactivated(userID)] : [])
    }
}

extension ActivateUser: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        Decision(try state.user(userID).isActive ? [] : [.userActivated(userID)])
    }
}

extension DisconnectUser: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        Decision([.userDisconnected(try state.user(userID).id)])
    }
}

extension Change where Self: UserRequest {
    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> UserResponse {
        UserResponse(user: try state.user(userID).view(context.presence))
    }
}

extension ChatState {
    /// Returns why a caller is refused (`US2`). Checked before every command, connect and subscribe, so that they need
    /// not.
    ///
    /// - Returns: 1008 for a deactivated user and 1055 for one banned from the app, even if a server key acts for them;
    ///   111 for one who is being deleted; 101 for the alias of a deleted user, and for a guest who does not exist,
    ///   because a token alone does not create one. `nil` for everyone else.
    package func refusal(of caller: Caller, at now: Int64) -> Rejection? {
        guard let user = caller.user else { return nil }
        guard let state = users[user] else {
            if user.isDeleted { return Rejection(.unauthorized, "the id of a deleted user") }
            return user.isGuest ? Rejection(.unauthorized, "the guest no longer exists") : nil
        }
        if let refusal = erasureRefusal(of: user) { return refusal }
        return state.isActive ? banRefusal(of: user, at: now) : Rejection(.userDeactivated)
    }

    /// Returns why a user named in a command cannot be added, invited or promoted.
    ///
    /// - Returns: 1008 with the id for a deactivated user; `nil` for everyone else.
    func refusal(of named: UserID) -> Rejection? {
        guard let user = users[named], !user.isActive else { return nil }
        return Rejection(.userDeactivated, "user \(named)")
    }
}
