import ChatDomain
import ChatModel
import ClusterSupport
import Foundation
import Synchronization
import Testing

/// A ledger of deletions on any node of a cluster that was restored from backups (`PR1`).
@Suite struct RepeatedErasureTests {
    private func erased(_ user: UserID, _ number: UInt64, deletesMessages: Bool = true) -> ErasedUser {
        ErasedUser(
            key: user.erasureKey, alias: .deleted(number), before: 1_780_000_000, deletesMessages: deletesMessages)
    }

    private func texts(_ cluster: ChatCluster, on index: Int) throws -> [String] {
        let answer = try cluster.run(
            ListMessages(channelID: channel(), limit: 100), as: ada, on: index)
        return try #require(answer.get() as? ListMessages.Response).messages.map { $0.text ?? "" }
    }

    @Test func `PR1: the deciding node repeats what only another node's ledger knows`() throws {
        let cluster = try ChatCluster()
        let writer = try cluster.begin()
        try cluster.change(SendMessage(channelID: channel(), text: "of ben"), as: ben, on: writer)
        try cluster.change(SendMessage(channelID: channel(), text: "of ada"), as: ada, on: writer)
        let follower = (writer + 1) % 3
        // More than fit into one command; nobody knows the others.
        let others = (100..<1_200).map { erased(user("user \($0)"), $0) }
        let isDone = Mutex(false)
        cluster.nodes[follower].repeatErasures([erased(ben, 1)] + others) { isDone.withLock { $0 = true } }
        try cluster.wait { isDone.withLock(\.self) }
        for index in 0..<3 {
            #expect(try texts(cluster, on: index) == ["of ada"])
            let answer = try cluster.run(GetUser(userID: ben), as: ada, on: index)
            #expect(throws: Rejection(.notFound, "user ben")) { try answer.get() }
        }
        // A second time, and on another node, there is nothing to do.
        let again = Mutex(false)
        cluster.nodes[(writer + 2) % 3].repeatErasures([erased(ben, 1)]) { again.withLock { $0 = true } }
        try cluster.wait { again.withLock(\.self) }
        #expect(cluster.nodes.allSatisfy { $0.failure == nil })
    }

    @Test func `PR1: a repetition that the writer's end interrupts continues with the next one`() throws {
        let cluster = try ChatCluster()
        let writer = try cluster.begin()
        let others = [0, 1, 2].filter { $0 != writer }
        cluster.nodes[writer].setCut(true)
        let isDone = Mutex(false)
        cluster.nodes[others[0]].repeatErasures([erased(ben, 1)]) { isDone.withLock { $0 = true } }
        _ = try cluster.writer(among: others)
        try cluster.wait { isDone.withLock(\.self) }
        let answer = try cluster.run(GetUser(userID: ben), as: ada, on: others[1])
        #expect(throws: Rejection(.notFound, "user ben")) { try answer.get() }
    }
}
