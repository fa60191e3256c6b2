import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import WireProtocol

extension View {
    /// Queries a server for everything visible in its chat. Fails when it does not answer immediately, for example
    /// while its disk fails.
    init?(of server: SimulatedServer) {
        let encoder = WireEncoder()
        var channels: [Channel] = []
        var answers: [[UInt8]] = []
        func ask<Question: Query>(
            _ query: Question, as caller: Caller, leaving: (Question.Response) -> Question.Response = { $0 }
        ) -> Question.Response?? {
            guard let answer = server.answer(query, as: caller) else { return nil }
            switch answer {
            case .success(let response):
                guard let response = (response as? Question.Response).map(leaving) else { return .some(nil) }
                answers.append(encoder.encode(response))
                return response
            // The disk does not answer.
            case .failure(let rejection) where rejection.code == .tooManyRequests: return nil
            case .failure(let rejection):
                answers.append(Array("\(rejection.code.rawValue)".utf8))
                return .some(nil)
            }
        }
        for id in Knowledge.channels + SimulatedRemovals.imported {
            guard
                let members = ask(
                    ListMembers(channelID: id, limit: 100), as: .server, leaving: Self.withoutPresence)
            else { return nil }
            guard let members else { continue }
            var channel = Channel(id: id, messages: [], members: members.members.filter { $0.state == .joined })
            var page: SizeOrToken?
            repeat {
                let list = ListMessages(
                    channelID: id, next: page, limit: 100, replies: .all, includeThread: true, includeParent: true,
                    includeReactions: true, includeDeleted: true)
                guard let found = ask(list, as: .server) else { return nil }
                channel.messages += found?.messages ?? []
                page = found?.next.map(SizeOrToken.token)
            } while page != nil
            channel.messages.sort { $0.offset < $1.offset }
            channels.append(channel)
            guard let exported = Self.export(of: id, on: server) else { return nil }
            answers.append(encoder.encode(exported))
            for user in Knowledge.people {
                guard ask(GetChannel(channelID: id), as: .user(user)) != nil else { return nil }
            }
        }
        self.init(channels: channels, answers: answers)
    }

    /// Exports a channel in small pages.
    ///
    /// - Returns: Its messages with their reactions and threads; nothing that depends on the time, such as mutes.
    private static func export(of channel: ChannelID, on server: SimulatedServer) -> [ExportLine]? {
        var lines: [ExportLine] = []
        var next: String?
        repeat {
            let query = ExportChannel(channelID: channel, limit: 20, next: next)
            guard case .success(let response)? = server.answer(query, as: .server),
                let page = response as? ExportResponse
            else { return nil }
            lines += page.lines.filter { ["message", "reaction", "thread"].contains($0.type) }
            next = page.next
        } while next != nil
        return lines
    }

    /// Queries a server for the presence of all members.
    static func presence(on server: SimulatedServer) -> [History.PresentMember] {
        Knowledge.channels.flatMap { id -> [History.PresentMember] in
            guard case .success(let response)? = server.answer(ListMembers(channelID: id, limit: 100), as: .server),
                let members = (response as? ListMembers.Response)?.members
            else { return [] }
            return members.filter { $0.state == .joined }.map {
                History.PresentMember(user: $0.user.id, isOnline: $0.online ?? false)
            }
        }
    }

    /// Removes presence, which is transient: a new process starts with nobody online.
    private static func withoutPresence(_ response: ListMembers.Response) -> ListMembers.Response {
        var response = response
        for index in response.members.indices {
            response.members[index].online = nil
            response.members[index].lastSeenAt = nil
        }
        return response
    }
}
