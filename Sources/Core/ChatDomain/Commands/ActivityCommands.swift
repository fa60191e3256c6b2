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

extension Change where Self: UserRequest {
    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> UserResponse {
        UserResponse(user: try state.user(userID).view(context.presence))
    }
}

extension ChatState {
    /// The single gate of `US2`, checked before every command, connect and subscribe, so that none of them has to.
    ///
    /// - Returns: 1008 for a deactivated user, even when the server acts for them; 101 for a guest who does not exist
    ///   or no longer does, because a token alone creates no guest. `nil` for everyone else.
    package func refusal(of caller: Caller) -> Rejection? {
        guard let user = caller.user else { return nil }
        guard let state = users[user] else {
            return user.isGuest ? Rejection(.unauthorized, "the guest no longer exists") : nil
        }
        return state.isActive ? nil : Rejection(.userDeactivated)
    }

    /// Why a user named by a command cannot be added, invited or promoted.
    ///
    /// - Returns: 1008 with the id for a deactivated user; `nil` for everyone else.
    func refusal(of named: UserID) -> Rejection? {
        guard let user = users[named], !user.isActive else { return nil }
        return Rejection(.userDeactivated, "user \(named)")
    }
}

extension DisconnectUser: Signal {
    package func carryOut(
        in state: ChatState, _ live: inout LiveState, _ context: Context
    ) throws(Rejection) -> (response: UserResponse, effects: [Effect]) {
        let user = try state.user(userID)
        return (UserResponse(user: user.view(context.presence)), [.disconnected(userID)])
    }
}
