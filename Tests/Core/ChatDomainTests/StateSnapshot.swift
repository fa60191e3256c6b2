import ChatDomain
import ChatModel

extension ChatState {
    /// Returns everything that is visible from outside, to compare two states.
    func snapshot(users: [UserID], channels: [ChannelID]) -> [String] {
        let context = Context(
            caller: .server, now: lastAt, freshID: MessageID(high: 0, low: 0), settings: ChatSettings())
        var lines: [String] = ["\(lastAt) \(userCount) \(channelCount)"]
        for user in users {
            lines.append("\(String(describing: person(user))) \(standings(of: user))")
            for channel in channels {
                let context = Context(caller: .user(user), now: lastAt, freshID: context.freshID, settings: .init())
                lines.append(seen(GetChannel(channelID: channel), context))
                lines.append(seen(ListMessages(channelID: channel, limit: 100, replies: .all), context))
            }
        }
        for channel in channels {
            let messages = try? ListMessages(channelID: channel, limit: 100, replies: .all, includeThread: true)
                .answer(from: self, context).messages
            for message in messages ?? [] {
                lines.append("\(message)")
                lines.append(seen(ListReplies(channelID: channel, parentMessageID: message.id), context))
            }
        }
        return lines
    }

    private func seen(_ query: some Query, _ context: Context) -> String {
        do throws(Rejection) { return "\(try query.answer(from: self, context))" } catch { return "\(error)" }
    }
}
