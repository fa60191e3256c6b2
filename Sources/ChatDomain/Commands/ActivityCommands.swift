import ChatModel
import WireProtocol

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
    /// The one gate of `US2`: asked before every command, connect and subscribe, so that none of them has to.
    ///
    /// - Returns: 1008 for someone deactivated, also when the server speaks for them; 101 for a guest who is not known, or
    ///   not any more: a token alone makes none. `nil` for everyone else.
    package func refusal(of caller: Caller) -> Rejection? {
        guard let user = caller.user else { return nil }
        guard let state = users[user] else { return user.isGuest ? Rejection(.unauthorized, "token") : nil }
        return state.isActive ? nil : Rejection(.userDeactivated)
    }

    /// Why nothing can be given to someone whom a command names.
    ///
    /// - Returns: 1008 with the id for someone deactivated; `nil` for everyone else.
    func refusal(of named: UserID) -> Rejection? {
        guard let user = users[named], !user.isActive else { return nil }
        return Rejection(.userDeactivated, "user \(named)")
    }
}
