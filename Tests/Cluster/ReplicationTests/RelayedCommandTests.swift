import ChatDomain
import ChatModel
import ClusterSupport
import Foundation
import Gateway
import Synchronization
import Testing

/// Clients on nodes that do not decide notice no difference.
@Suite struct RelayedCommandTests {
    private func texts(_ cluster: ChatCluster, on index: Int) throws -> [String] {
        let answer = try cluster.run(ListMessages(channelID: channel(), limit: 100), as: ada, on: index)
        return try #require(answer.get() as? ListMessages.Response).messages.map { $0.text ?? "" }
    }

    @Test func `every node takes commands, and a later read on any other node sees them`() throws {
        let cluster = try ChatCluster()
        _ = try cluster.begin()
        var expected: [String] = []
        for number in 0..<30 {
            let text = "\(number)"
            let answer = try cluster.run(SendMessage(channelID: channel(), text: text), as: ada, on: number % 3)
            #expect(try #require(answer.get() as? MessageResponse).message.text == text)
            expected.append(text)
            #expect(try texts(cluster, on: (number + 1) % 3) == expected)
        }
    }

    @Test func `a writer that was cut off answers no query from before the next term`() throws {
        let cluster = try ChatCluster()
        let first = try cluster.begin()
        cluster.nodes[first].setCut(true)
        let second = try cluster.writer(among: [0, 1, 2].filter { $0 != first })
        try cluster.change(SendMessage(channelID: channel(), text: "new", clientID: "new"), as: ada, on: second)
        // Nothing can be newer than what it has, as far as it can find out.
        #expect(try texts(cluster, on: first) == [])
        let answer = Mutex<Answer?>(nil)
        cluster.nodes[first].setCut(false)
        cluster.nodes[first].query(ListMessages(channelID: channel(), limit: 100), as: ada) { result in
            answer.withLock { $0 = result }
        }
        try cluster.wait { cluster.nodes[first].failure != nil }
        let messages = try answer.withLock(\.self).map { try #require($0.get() as? ListMessages.Response).messages }
        #expect(messages == nil || messages?.map(\.text) == ["new"])
    }

    @Test func `a command is refused with the same error on every node`() throws {
        let cluster = try ChatCluster()
        _ = try cluster.begin()
        let unknown = ChannelID("unknown")
        for index in 0..<3 {
            let answer = try cluster.run(
                SendMessage(channelID: try #require(unknown), text: "a"), as: ada, on: index)
            #expect(throws: Rejection(.notFound, "channel")) { try answer.get() }
        }
    }

    @Test func `a command that changes nothing is answered on every node`() throws {
        let cluster = try ChatCluster()
        _ = try cluster.begin()
        let first = try cluster.run(
            SendMessage(channelID: channel(), text: "once", clientID: "1"), as: ada, on: 0)
        let message = try #require(first.get() as? MessageResponse).message
        for index in 0..<3 {
            let answer = try cluster.run(
                SendMessage(channelID: channel(), text: "once", clientID: "1"), as: ada, on: index)
            #expect(try #require(answer.get() as? MessageResponse).message.id == message.id)
        }
        #expect(try texts(cluster, on: 1) == ["once"])
    }

    @Test func `a new user is created by the first command or read on any node`() throws {
        let cluster = try ChatCluster()
        _ = try cluster.begin()
        for index in 0..<3 {
            let reader = user("reader\(index)")
            let found = try cluster.run(GetUser(), as: reader, on: index)
            #expect(try #require(found.get() as? UserResponse).user.id == reader)
            let joining = user("joining\(index)")
            let joined = try cluster.run(JoinChannel(channelID: channel()), as: joining, on: index)
            #expect(throws: Never.self) { try joined.get() }
            cluster.nodes[index].attach(user("attached\(index)"))
            try cluster.wait { cluster.nodes[index].port.events.contains("attached") }
        }
    }

    @Test func `a command larger than a message of the bus arrives whole`() throws {
        let cluster = try ChatCluster()
        let writer = try cluster.begin()
        let data = String(repeating: "ä", count: 500)
        let metadata = Dictionary(uniqueKeysWithValues: (0..<8).map { ("key\($0)", data) })
        let users = (0..<100).map { UpsertUser(id: user("user\($0)"), metadata: metadata) }
        for index in 0..<3 where index != writer {
            let answer = try cluster.run(server: UpsertUsers(users: users), on: index)
            let response = try #require(answer.get() as? UpsertUsers.Response)
            #expect(response.users.map(\.id) == users.map(\.id))
            #expect(response.users.allSatisfy { $0.metadata == metadata })
        }
    }

    @Test func `what clients send while the writer dies takes effect exactly once`() throws {
        let cluster = try ChatCluster()
        let first = try cluster.begin()
        let others = [0, 1, 2].filter { $0 != first }
        let answers = Mutex<[Result<String, Rejection>]>([])
        for number in 0..<90 {
            // Without a client id, so that a repetition would be a second message.
            cluster.nodes[others[number % 2]].change(
                SendMessage(channelID: channel(), text: "\(number)"), as: ada
            ) { answer in
                answers.withLock { $0.append(answer.map { ($0 as? MessageResponse)?.message.text ?? "" }) }
            }
            if number == 45 { cluster.nodes[first].kill() }
            usleep(2_000)
        }
        try cluster.wait { answers.withLock { $0.count == 90 } }
        let expected = (0..<90).map { "\($0)" }.sorted()
        let refused = answers.withLock { $0 }.filter { if case .failure = $0 { true } else { false } }
        #expect(refused.isEmpty)
        let answered = try answers.withLock { $0 }.map { try $0.get() }
        #expect(answered.sorted() == expected)
        for index in others { #expect(try texts(cluster, on: index).sorted() == expected) }
    }

    @Test func `an answer that takes too long is 1041, and the command is forgotten`() throws {
        let cluster = try ChatCluster()
        let writer = try cluster.begin()
        for index in 0..<3 where index != writer { cluster.nodes[index].setCut(true) }
        let index = (writer + 1) % 3
        let answer = try cluster.run(SendMessage(channelID: channel(), text: "a"), as: ada, on: index)
        #expect(throws: Rejection(.outcomeUnknown)) { try answer.get() }
    }
}
