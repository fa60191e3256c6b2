import ChatModel

extension NaiveChat {
    /// Returns the lines that the model knows; marks, sanctions and reports are compared elsewhere.
    func export(_ request: ExportChannel) throws(Refused) -> Outcome {
        guard let channel = channels[request.channelID] else { throw Refused(code: 1000) }
        var lines = ["channel \(channel.id)"]
        for user in (Array(channel.joined.keys) + channel.invited.keys).sorted() {
            lines.append("member \(user) \(channel.joined[user] == nil ? "invited" : "joined")")
        }
        for message in channel.messages {
            lines.append(line(message))
            for (key, user) in reactions(to: message) { lines.append("reaction \(message.id) \(key) \(user)") }
        }
        return .exported(lines)
    }

    func export(_ request: ExportUser, _ user: UserID?) throws(Refused) -> Outcome {
        try refuse(1009, when: user != nil && (user != request.userID || !rules.exportsOwnData))
        let subject = request.userID
        try refuse(1000, when: people[subject] == nil)
        var lines = ["user \(subject)"]
        for other in (blocked[subject] ?? []).sorted() { lines.append("block \(subject) \(other)") }
        for channel in channels.values.sorted(by: { $0.id < $1.id }) {
            if channel.joined[subject] != nil { lines.append("membership \(channel.id) joined") }
            if channel.invited[subject] != nil { lines.append("membership \(channel.id) invited") }
            for message in channel.messages {
                if message.sender == subject { lines.append(line(message)) }
                for (key, user) in reactions(to: message) where user == subject {
                    lines.append("reaction \(message.id) \(key) \(user)")
                }
            }
        }
        return .exported(lines)
    }

    private func line(_ message: NaiveMessage) -> String {
        "message \(message.id) \(message.deletedAt == nil ? message.content.text : "deleted")"
    }

    private func reactions(to message: NaiveMessage) -> [(key: String, user: UserID)] {
        guard message.deletedAt == nil else { return [] }
        return message.reactions.keys.flatMap { reacted in reacted.users.map { (reacted.key, $0) } }
    }
}

extension Outcome {
    init(_ export: ExportResponse) {
        let lines = export.lines.compactMap { line -> String? in
            switch line.type {
            case "channel": "channel \(line.channel?.id.rawValue ?? "")"
            case "user": "user \(line.user?.id.rawValue ?? "")"
            case "member": line.member.map { "member \($0.user.id) \($0.state.rawValue)" }
            case "membership":
                line.membership.map { "membership \(line.channelID?.rawValue ?? "") \($0.state.rawValue)" }
            case "message":
                line.message.map { "message \($0.id) \($0.deletedAt == nil ? $0.text ?? "" : "deleted")" }
            case "block": "block \(line.userID?.rawValue ?? "") \(line.blockedUserID?.rawValue ?? "")"
            case "reaction":
                line.messageID.map { "reaction \($0) \(line.key ?? "") \(line.userID?.rawValue ?? "")" }
            case "export", "end", "emoji", "ban", "mute", "thread", "read", "report": nil
            default: "unexpected \(line.type)"
            }
        }
        self = export.lines.last?.type == "end" ? .exported(lines) : .unknown("an export of several pages")
    }
}
