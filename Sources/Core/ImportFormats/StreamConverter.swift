import ChatModel
import WireProtocol

/// Converts Stream's exports of channels and users, whose objects have the form of its API (`PR3`).
///
/// Version 1 of the channel export has one object per channel, with `channel`, `members`, `messages` and `read`; the
/// user export has one with `user`. In version 2 every line has a `type` and its object in `item` or `data`.
package struct StreamConverter: ImportConverter {
    package static let lists = ["channels", "users"]

    private var people = MetPeople()

    package init() {}

    package mutating func lines(of element: JSONFields) throws(ConversionFailure) -> [ImportLine] {
        do {
            let decoder = WireDecoder()
            if element.raw("channel") != nil, element.raw("type") == nil {
                return lines(of: try decoder.decode(StreamChannelState.self, from: element))
            }
            guard let type = try element.string("type"), let item = try element.object("item") ?? element.object("data")
            else {
                guard let user = try element.object("user") else { return [] }
                return people.meet(try decoder.decode(StreamUser.self, from: user).imported)
            }
            switch type {
            case "user": return people.meet(try decoder.decode(StreamUser.self, from: item).imported)
            case "channel": return lines(of: try decoder.decode(StreamChannel.self, from: item), members: 0)
            case "member":
                let member = try decoder.decode(StreamMember.self, from: item)
                guard let channel = try StreamChannel.id(in: item) else {
                    throw ConversionFailure("channel_cid is missing")
                }
                return lines(of: member, in: channel)
            case "message":
                guard let channel = try StreamChannel.id(in: item) else { throw ConversionFailure("cid is missing") }
                return lines(of: try decoder.decode(StreamMessage.self, from: item), in: channel)
            default: return []
            }
        } catch let failure as ConversionFailure {
            throw failure
        } catch {
            throw ConversionFailure(decoding: error)
        }
    }

    private mutating func lines(of state: StreamChannelState) -> [ImportLine] {
        let members = state.members ?? []
        var lines = lines(of: state.channel, members: members.count)
        guard let id = state.channel.id else { return lines }
        for member in members { lines += self.lines(of: member, in: id) }
        let messages = state.messages ?? []
        for message in messages { lines += self.lines(of: message, in: id) }
        // Sorted by time, as messages have to be.
        let times = messages.filter(\.isImported).compactMap { message in
            message.createdAt.milliseconds.map { (at: $0, id: message.id) }
        }
        for read in state.read ?? [] {
            guard let at = read.lastRead?.milliseconds, at < times.last?.at ?? 0,
                members.contains(where: { $0.userID == read.user.id && !$0.isInvited })
            else { continue }
            var line = ImportLine(type: "read")
            (line.channelID, line.userID) = (id, read.user.id)
            line.messageID = times.last { $0.at <= at }?.id
            lines.append(line)
        }
        return lines
    }

    /// - Parameter members: Their number, if known: many need a super channel.
    private mutating func lines(of channel: StreamChannel, members: Int) -> [ImportLine] {
        guard let id = channel.id else { return [] }
        var lines = channel.createdBy.map { people.meet($0.imported) } ?? []
        var line = ImportLine(type: "channel")
        line.channel = channel.imported(id, members: members)
        lines.append(line)
        return lines
    }

    private mutating func lines(of member: StreamMember, in channel: ChannelID) -> [ImportLine] {
        var lines = people.meet(member.user?.imported ?? ImportedUser(id: member.userID))
        var line = ImportLine(type: "member")
        line.channelID = channel
        line.member = member.imported
        lines.append(line)
        return lines
    }

    private mutating func lines(of message: StreamMessage, in channel: ChannelID) -> [ImportLine] {
        guard message.isImported else { return [] }
        var lines = message.isFromApp ? [] : message.user.map { people.meet($0.imported) } ?? []
        for imported in message.imported(in: channel) {
            var line = ImportLine(type: "message")
            line.message = imported
            lines.append(line)
        }
        guard message.deletedAt?.milliseconds == nil, !message.isFromApp else { return lines }
        for reaction in message.reactions ?? message.latestReactions ?? [] {
            guard let user = reaction.userID ?? reaction.user?.id else { continue }
            lines += people.meet(reaction.user?.imported ?? ImportedUser(id: user))
            let (key, new) = people.meet(emoji: reaction.type)
            lines += new
            var line = ImportLine(type: "reaction")
            (line.channelID, line.messageID, line.key, line.userID) = (channel, message.id, key, user)
            line.at = reaction.createdAt?.milliseconds
            lines.append(line)
        }
        return lines
    }
}
