import ChatModel

/// A change with a text that the app's hook decides about when a user makes it (`MO4`).
package protocol HookedChange: Change {
    var channelID: ChannelID { get }
    /// The text that users see; nil if the command has none, so that it cannot be replaced.
    var hookedText: String? { get }
    /// As `Change.decide`.
    ///
    /// - Parameter replacement: The text by which the hook has replaced that of the command.
    func decide(in state: ChatState, _ context: Context, replacement: String?) throws(Rejection) -> Decision
    /// As `Change.response`.
    func response(
        from state: ChatState, _ context: Context, after records: [Record], replacement: String?
    ) throws(Rejection) -> Response
}

extension HookedChange {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        try decide(in: state, context, replacement: nil)
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        try response(from: state, context, after: records, replacement: nil)
    }
}

/// A change whose text the hook has replaced. Everything else is checked as without the hook.
package struct ReplacedText<Command: HookedChange>: Change {
    package typealias Response = Command.Response
    package static var method: String { Command.method + ".replaced" }
    package static var isBrief: Bool { Command.isBrief }
    package let command: Command
    package let text: String

    package init(_ command: Command, text: String) {
        self.command = command
        self.text = text
    }

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        try command.decide(in: state, context, replacement: text)
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        try command.response(from: state, context, after: records, replacement: text)
    }
}

/// What the hook is asked.
package struct HookQuestion<Command: HookedChange>: Codable, Sendable {
    package struct ChannelInfo: Codable, Sendable {
        package let id: ChannelID
        package let name: String
        package let customType: String?

        enum CodingKeys: String, CodingKey {
            case id, name
            case customType = "custom_type"
        }
    }

    package let type: String
    /// Milliseconds since 1970.
    package let at: Int64
    package let by: User
    package let channel: ChannelInfo
    /// The command as the user sent it.
    package let command: Command
}

/// Checks a command and returns what to ask the hook about it. Everything is checked again when the hook has answered.
package struct PrepareHook<Command: HookedChange>: Query {
    package struct Response: Codable, Sendable {
        /// Nil if there is nothing to decide: the command changes nothing, as a retry with a known `client_id`.
        package let question: HookQuestion<Command>?
    }
    package static var method: String { Command.method + ".prepare" }
    package let command: Command

    package init(_ command: Command) { self.command = command }

    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        let decision = try command.decide(in: state, context)
        if let refusal = decision.refusal { throw refusal }
        guard let user = context.caller.user, let channel = state.channels[command.channelID],
            !decision.events.isEmpty || !decision.messages.isEmpty
        else { return Response(question: nil) }
        return Response(
            question: HookQuestion(
                type: Command.method, at: context.now, by: state.signature(of: user),
                channel: HookQuestion.ChannelInfo(id: channel.id, name: channel.name, customType: channel.customType),
                command: command))
    }
}
