import ChatModel
import TestSupport

@testable import ChatDomain

/// The user who is deleted: an id that occurs nowhere else.
let zoe: UserID = "zoe-the-deleted"
let friends: [UserID] = [ann, bob, cat, zoe]
let places: [ChannelID] = ["c1", "c2", "c3"]

extension Chat {
    /// Deletes a user, and runs the engine's turns until nothing names them.
    ///
    /// - Returns: The number of turns.
    @discardableResult
    mutating func erase(_ user: UserID = zoe, deletingMessages: Bool = false) throws -> Int {
        try run(DeleteUser(userID: user, deleteMessages: deletingMessages), as: .server)
        return finishErasures()
    }

    @discardableResult
    mutating func finishErasures() -> Int {
        var turns = 0
        while let user = state.usersBeingErased.first {
            var scan = ErasureScan(of: user, in: state)
            while true {
                let turn = scan.turn(in: state)
                apply(turn.events)
                turns += 1
                if turn.isOver { break }
            }
        }
        return turns
    }

    /// The pieces of a snapshot, as text.
    var snapshotText: String {
        var text = ""
        state.parts { part in dump(part, to: &text) }
        return text
    }

    /// Lets everybody do something of every kind, in an order that a seed gives.
    mutating func live(seed: UInt64, steps: Int = 300) throws {
        var random = SeededGenerator(seed: seed)
        for (place, creator) in zip(places, [ann, zoe, bob]) {
            try run(
                CreateChannel(
                    id: place, userIDs: friends, operatorUserIDs: [creator], isPublic: place == "c1",
                    isDistinct: place == "c2"), as: .user(creator))
        }
        var sent: [ChannelID: [Message]] = [:]
        for step in 0..<steps {
            let (user, place) = (random.pick(friends), random.pick(places))
            let target = (sent[place] ?? []).isEmpty ? nil : random.pick(sent[place] ?? [])
            let caller = Caller.user(user)
            switch Int.random(in: 0..<16, using: &random) {
            case 0...4:
                let mentioned = random.chance(percent: 30) ? [zoe, ann] : nil
                let send = SendMessage(
                    channelID: place, text: "text \(step)", clientID: "\(user)-client-\(step)",
                    mentionType: mentioned == nil && random.chance(percent: 10) ? .channel : nil,
                    mentionedUserIDs: mentioned)
                if let message = try? run(send, as: caller).message { sent[place, default: []].append(message) }
            case 5...7:
                guard let target else { continue }
                let reply = try? say(
                    "reply \(step)", by: user, in: place, to: target.parentMessageID ?? target.id,
                    alsoInChannel: random.chance(percent: 50))
                if let reply { sent[place, default: []].append(reply) }
            case 8, 9:
                guard let target else { continue }
                let key = random.chance(percent: 50) ? "sob" : "kissing"
                _ = try? run(AddReaction(channelID: place, messageID: target.id, key: key), as: caller)
            case 10:
                guard let target else { continue }
                let update = UpdateMessage(channelID: place, messageID: target.id, text: "changed \(step)")
                _ = try? run(update, as: caller)
            case 11:
                guard let target else { continue }
                _ = try? run(DeleteMessage(channelID: place, messageID: target.id), as: caller)
            case 12: _ = try? run(MarkRead(channelID: place), as: caller)
            case 13:
                let victim = random.pick(friends)
                _ = try? run(MuteMember(channelID: place, userID: victim, description: "rude"), as: caller)
                if step % 3 == 0 { _ = try? run(BanMember(channelID: place, userID: victim), as: caller) }
            case 14:
                _ = try? run(
                    CreateReport(category: .spam, description: "by \(user)", channelID: place, userID: zoe), as: caller)
                _ = try? run(HideChannel(channelID: place), as: caller)
            default:
                if random.chance(percent: 50) { _ = try? run(LeaveChannel(channelID: place), as: caller) }
                _ = try? run(InviteToChannel(channelID: place, userIDs: friends), as: .user(random.pick(friends)))
            }
        }
    }

    /// What the others see of everything, as text.
    func seen(by users: [UserID] = [ann, bob, cat]) -> [String] {
        var lines = state.snapshot(users: users, channels: places)
        for user in users {
            let context = Context(
                caller: .user(user), now: state.lastAt, freshID: MessageID(high: 0, low: 0), settings: .init())
            lines.append("\(state.unreadTotals(of: user))")
            lines.append(ask(ListThreads(replyLimit: 10), context))
            lines.append(ask(ListChannels(limit: 100), context))
            for place in places {
                let list = ListMessages(
                    channelID: place, limit: 100, replies: .all, includeThread: true, includeReactions: true,
                    includeDeleted: true)
                lines.append(ask(list, context))
                lines.append(ask(ListMembers(channelID: place), context))
                if let message = state.channels[place]?.messages.last?.id {
                    lines.append(ask(ListReceipts(channelID: place, messageID: message), context))
                }
            }
        }
        return lines
    }

    private func ask(_ query: some Query, _ context: Context) -> String {
        do throws(Rejection) { return "\(try query.answer(from: state, context))" } catch { return "\(error)" }
    }
}
