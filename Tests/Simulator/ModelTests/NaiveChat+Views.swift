import ChatModel
import Foundation

extension NaiveChat {
    func seen(_ user: UserID, inFull: Bool = false) -> SeenUser {
        let person = people[user]
        return SeenUser(
            id: user, nickname: person?.nickname ?? (user.isDeleted ? "" : user.rawValue),
            profileURL: person?.profileURL,
            metadata: inFull ? person?.metadata ?? [:] : [:], isActive: inFull ? person?.isActive : nil)
    }

    func inForce(_ sanction: NaiveChannel.Sanction?) -> NaiveChannel.Sanction? {
        guard let sanction, sanction.until > now else { return nil }
        return sanction
    }

    func seen(_ channel: NaiveChannel, by viewer: UserID?) -> SeenChannel {
        var seen = SeenChannel(id: channel.id)
        seen.name = channel.name
        seen.isPublic = channel.isPublic
        seen.isDistinct = channel.claim != nil
        seen.isSuper = channel.isSuper
        seen.isEphemeral = channel.isEphemeral
        seen.isFrozen = channel.isFrozen
        seen.messageSeconds = channel.messageSeconds
        seen.slowModeSeconds = channel.slowModeSeconds
        seen.customType = channel.customType
        seen.data = channel.data
        seen.coverURL = channel.coverURL
        seen.metadata = channel.metadata
        seen.createdAt = channel.createdAt
        seen.createdBy = channel.createdBy
        seen.memberCount = channel.size
        seen.joinedMemberCount = channel.joined.count
        guard let viewer else { return seen }
        seen.myState =
            channel.joined[viewer] != nil ? .joined : channel.invited[viewer] != nil ? .invited : MembershipState.none
        seen.myRole = channel.role(of: viewer)
        seen.myJoinedAt = channel.joined[viewer]?.at
        guard channel.isThere(viewer) else { return seen }
        seen.myMutedUntil = [inForce(channel.mutes[viewer])?.until, inForce(appMutes[viewer])?.until].compactMap(\.self)
            .max()
        guard channel.joined[viewer] != nil else { return seen }
        seen.myPermissions = permissions(of: rank(of: viewer, in: channel), channel.customType)
        let unread = self.unread(of: viewer, in: channel)
        seen.unreadCount = unread.count
        seen.unreadMentions = mentions(of: viewer, in: channel)
        seen.firstUnread = unread.first.map { channel.messages[$0].id }
        seen.lastRead = lastRead(of: viewer, in: channel)
        seen.away = channel.joined[viewer]?.away
        if let last = standing(in: channel).last, last >= channel.hidden(from: viewer) {
            seen.lastMessage = self.seen(last, in: channel, by: viewer)
        }
        return seen
    }

    func seenMember(_ user: UserID, of channel: NaiveChannel) -> SeenMember {
        let joined = channel.joined[user]
        let invited = channel.invited[user]
        var member = SeenMember(user: seen(user), role: channel.role(of: user) ?? .member, state: .none)
        member.state = joined != nil ? .joined : invited != nil ? .invited : MembershipState.none
        member.joinedAt = joined?.at
        member.invitedBy = joined != nil ? joined?.by : invited?.by
        member.mutedUntil = inForce(channel.mutes[user])?.until
        // A receipt is permanent, and the same for every reader.
        let receipt = joined.flatMap { joined in standing(in: channel).last { $0 < joined.mostRead } }
        member.lastRead = receipt.map { channel.messages[$0].id }
        if !channel.isThere(user) { member.bannedUntil = inForce(channel.bans[user])?.until }
        return member
    }

    func seen(
        _ index: Int, in channel: NaiveChannel, by viewer: UserID?, quote: Bool = true, thread: Bool = false,
        reactions: Bool = false
    ) -> SeenMessage {
        let message = channel.messages[index]
        var seen = SeenMessage(
            id: message.id, isAdmin: message.isAdmin, user: message.sender.map { self.seen($0) },
            createdAt: message.at)
        seen.parentID = message.parent
        seen.replyToChannel = message.parent == nil ? nil : message.toChannel
        seen.deletedAt = message.deletedAt
        seen.expiresAt = message.expiresAt
        guard message.deletedAt == nil else { return seen }
        if let viewer, let sender = message.sender { seen.fromBlocked = isBlocked(sender, by: viewer) }
        seen.text = message.content.text
        seen.customType = message.content.customType
        seen.data = message.content.data
        seen.updatedAt = message.updatedAt
        seen.clientID = message.clientID
        switch message.content.mentions {
        case .everyone: seen.mentionType = .channel
        case .people(let people):
            seen.mentionType = .users
            seen.mentioned = people
        case nil: break
        }
        if quote, let parent = message.parent { seen.quote = self.quote(parent, in: channel, by: viewer) }
        if thread, !channel.replies(to: message.id).isEmpty { seen.thread = self.thread(of: message.id, in: channel) }
        if reactions {
            seen.reactions = message.reactions.keys.map { key in
                SeenMessage.Key(
                    key: key.key, count: key.users.count, users: Array(key.users.prefix(rules.reactionUsersShown)),
                    mine: viewer.map(key.users.contains) ?? false, updatedAt: key.updatedAt)
            }
        }
        return seen
    }

    private func quote(_ id: MessageID, in channel: NaiveChannel, by viewer: UserID?) -> SeenMessage.Quote {
        guard let index = channel.index(of: id) else { return SeenMessage.Quote(id: id, state: .notFound) }
        let parent = channel.messages[index]
        if index < channel.hidden(from: viewer) { return SeenMessage.Quote(id: id, state: .unavailable) }
        if parent.deletedAt != nil { return SeenMessage.Quote(id: id, state: .notFound) }
        return SeenMessage.Quote(
            id: id, state: .ok, text: parent.content.text, user: parent.sender.map { seen($0) }, createdAt: parent.at)
    }

    /// Returns a sort key that ignores accents and case first, and then uses accents among equals.
    func alphabetical(_ name: String) -> String {
        name.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil) + "\0" + name.lowercased()
    }

    /// Returns whether a user sorts before another, by nickname and then by id.
    func isListedBefore(_ a: UserID, _ b: UserID) -> Bool {
        let first = Array(alphabetical(people[a]?.nickname ?? "").utf8)
        let second = Array(alphabetical(people[b]?.nickname ?? "").utf8)
        if first == second { return Array(a.rawValue.utf8).lexicographicallyPrecedes(Array(b.rawValue.utf8)) }
        return first.lexicographicallyPrecedes(second)
    }
}
