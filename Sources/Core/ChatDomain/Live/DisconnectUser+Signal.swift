import ChatModel

extension DisconnectUser: Signal {
    package func carryOut(
        in state: ChatState, _ live: inout LiveState, _ context: Context
    ) throws(Rejection) -> (response: UserResponse, effects: [Effect]) {
        let user = try state.user(userID)
        return (UserResponse(user: user.view(context.presence)), [.ousted(userID)])
    }
}
