import ChatDomain
import ChatModel
import WireProtocol
import Workloads

/// The cost of the chat's own code, without queues, log, sockets or JSON: commands per second on one core, and bytes
/// retained in memory.
///
///     swift run -c release DomainBenchmarks [--small] [worst [COMMAND] | recovery [FOLDER] | allocations]
///
/// `worst` measures the worst case of every command, or of one. `recovery` starts a chat of a million messages from
/// disk, and keeps the data folder if it is named. `allocations` counts the allocations of every workload.
@main
enum Benchmarks {
    static func main() throws {
        let scale = CommandLine.arguments.contains("--small") ? 20 : 1
        if let place = CommandLine.arguments.firstIndex(of: "worst") {
            return WorstCases.measure(
                scale == 1 ? WorstScale() : .small,
                only: CommandLine.arguments[(place + 1)...].first { !$0.hasPrefix("--") })
        }
        if let place = CommandLine.arguments.firstIndex(of: "recovery") {
            return try Recovery.measure(scale, in: CommandLine.arguments[(place + 1)...].first)
        }
        if CommandLine.arguments.contains("allocations") { return try AllocationCounts.measure() }
        try memory(scale)
        try commands(scale)
        try lists(scale)
    }

    private static func server(_ chat: inout BenchmarkChat, creates number: Int, members: [UserID]) throws {
        try chat.run(CreateChannel(id: channel(number), userIDs: members, isPublic: true), as: .server)
    }

    // MARK: Memory

    private static func memory(_ scale: Int) throws {
        Table.head("memory", "bytes each")
        var chat = BenchmarkChat()
        let people = 20_000 / scale
        weight("user who is not here", people) {
            for number in 0..<people { chat.admit(user(number)) }
        }
        let channels = 20_000 / scale
        try weight("channel without members", channels) {
            for number in 0..<channels { try server(&chat, creates: number, members: []) }
        }
        try weight("membership of someone not here", people) {
            for number in 0..<people { try chat.run(JoinChannel(channelID: channel(0)), as: .user(user(number))) }
        }
        let shared = min(10, channels - 1)
        try weight("membership in channels of 20", shared * 20) {
            for number in 1...shared {
                for member in 0..<20 { try chat.run(JoinChannel(channelID: channel(number)), as: .user(user(member))) }
            }
        }
        let messages = 200_000 / scale
        try weight("message of 40 bytes", messages) {
            for number in 0..<messages { try send(&chat, number, to: channel(1 + number % shared), members: 20) }
        }
        try weight("message of 40 bytes with a client id", messages) {
            for number in 0..<messages {
                try send(&chat, number, to: channel(1 + number % shared), members: 20, clientID: "client-\(number)")
            }
        }
    }

    private static func send(
        _ chat: inout BenchmarkChat, _ number: Int, to channel: ChannelID, members: Int, clientID: String? = nil,
        parent: MessageID? = nil
    ) throws {
        let text = "message \(number) that is forty bytes long "
        try chat.run(
            SendMessage(
                channelID: channel, text: text.padding(40), clientID: clientID, parentMessageID: parent),
            as: .user(user(number % members)))
    }

    // MARK: Commands

    private static func commands(_ scale: Int) throws {
        Table.head("command", "per second on one core")
        let count = 100_000 / scale
        for members in [2, 100, 20_000 / scale] {
            var chat = BenchmarkChat()
            let people = (0..<members).map(user)
            for person in people { chat.admit(person) }
            try server(&chat, creates: 0, members: [])
            for person in people { try chat.run(JoinChannel(channelID: channel(0)), as: .user(person)) }
            try rate("message.send, \(members) members", count) { number in
                try send(&chat, number, to: channel(0), members: members)
            }
            guard members == 100 else { continue }
            let sent = try chat.ask(ListMessages(channelID: channel(0), limit: 100), as: .server).messages
            // All users react to all messages, then all remove the reactions, and so on, so that every command changes
            // something.
            try rate("reaction.add and remove", count) { number in
                let message = sent[number / members % sent.count].id
                let someone = Caller.user(user(number % members))
                if number / (members * sent.count) % 2 == 0 {
                    try chat.run(AddReaction(channelID: channel(0), messageID: message, key: "sob"), as: someone)
                } else {
                    try chat.run(RemoveReaction(channelID: channel(0), messageID: message, key: "sob"), as: someone)
                }
            }
            try rate("message.send, a reply", count) { number in
                let parent = sent[(number + number / members) % sent.count].id
                try send(&chat, number, to: channel(0), members: members, parent: parent)
            }
            try rate("read.mark, 100 members", count) { number in
                try chat.run(MarkRead(channelID: channel(0)), as: .user(user(number % members)))
            }
            try rate("message.list, 30 behind all replies", count / 10) { number in
                _ = try chat.ask(ListMessages(channelID: channel(0), limit: 30), as: .user(user(number % members)))
            }
            try rate("thread.list, 20 of 100", count / 100) { number in
                _ = try chat.ask(ListThreads(), as: .user(user(number % members)))
            }
        }
    }

    // MARK: Someone in 2,000 channels

    private static func lists(_ scale: Int) throws {
        Table.head("someone in \(2_000 / scale) channels", "per second on one core")
        var chat = BenchmarkChat()
        let channels = 2_000 / scale
        for number in 0..<2 { chat.admit(user(number)) }
        for number in 0..<channels {
            try server(&chat, creates: number, members: [user(0), user(1)])
            try send(&chat, number, to: channel(number), members: 2)
        }
        rate("rooms at connect", 200 / min(scale, 20)) { _ in _ = chat.state.standings(of: user(0)) }
        try rate("read.counts", 2_000 / scale) { _ in _ = try chat.ask(GetUnreadCounts(), as: .user(user(0))) }
        try rate("channel.list, 30 of all", 2_000 / scale) { _ in
            _ = try chat.ask(ListChannels(), as: .user(user(0)))
        }
        try rate("channel.list by name, the unread ones", 2_000 / scale) { _ in
            var list = ListChannels(order: .name)
            list.unreadOnly = true
            _ = try chat.ask(list, as: .user(user(0)))
        }
        try rate("read.mark_all and a message", 2_000 / scale) { number in
            try send(&chat, number, to: channel(number % channels), members: 2)
            try chat.run(MarkAllRead(), as: .user(user(number % 2)))
        }
        try rate("thread.list without threads", 2_000 / scale) { _ in
            _ = try chat.ask(ListThreads(), as: .user(user(0)))
        }
    }
}

extension String {
    /// Returns the text truncated or padded with dots to this many ASCII characters.
    fileprivate func padding(_ length: Int) -> String {
        String(prefix(length)) + String(repeating: ".", count: max(0, length - count))
    }
}
