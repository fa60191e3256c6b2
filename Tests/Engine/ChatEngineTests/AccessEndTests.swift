import ChatDomain
import ChatModel
import Gateway
import Synchronization
import Testing

@testable import ChatEngine

/// In a cluster, a command that ends somebody's access is answered once all nodes have ended it.
@Suite struct AccessEndTests {
    /// A node that decides, with ann's and bob's connections.
    private func makeNode(_ port: RecordedPort) -> Bench {
        let bench = ChatEngineTests().begin()
        bench.engine.join(port)
        bench.engine.lead(term: 1)
        bench.settle()
        return bench
    }

    private func published(_ bench: Bench) -> [String] {
        bench.settle()
        bench.log.sync()
        bench.log.queue.enter {}
        return bench.ear.news()
    }

    @Test func `a disconnect, a revocation, a ban and a deactivation wait for all nodes, other commands do not`() {
        let port = RecordedPort()
        let bench = makeNode(port)
        let commands: [any Change] = [
            DisconnectUser(userID: bob), RevokeTokens(userID: bob, before: 100),
            BanMember(channelID: general, userID: bob),
            DeactivateUser(userID: bob),
        ]
        for (index, change) in commands.enumerated() {
            bench.engine.change(change, as: .server, answerTo: bench.address(UInt32(index)))
            let news = published(bench)
            #expect(!news.isEmpty && !news.contains { $0.hasPrefix("answer") }, "\(change): \(news)")
            let waiting = port.waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            #expect(waiting.map(\.frame) == [UInt64(bench.log.frames.count)])
            #expect(port.progressCount == index + 1)
            for one in waiting { one.done() }
            #expect(published(bench) == ["answer \(index)"])
        }
        bench.engine.change(
            SendMessage(channelID: general, text: "hello"), as: .user(ann), answerTo: bench.address(9))
        #expect(published(bench).contains("answer 9"))
        #expect(port.waiting.withLock { $0.isEmpty })
    }

    @Test func `a node that only applies another's revocation tells its progress and waits for nobody`() {
        let scene = FollowerScene()
        scene.log(RevokeTokens(userID: bob, before: 100), as: .server)
        _ = scene.synced()
        #expect(scene.port.progressCount == 1)
        #expect(scene.port.waiting.withLock { $0.isEmpty })
    }

    @Test func `a revocation sent by another node's client is answered there, once all nodes have applied it`() {
        let scene = FollowerScene()
        scene.follower.engine.change(
            RevokeTokens(userID: bob, before: 100), as: .server, answerTo: scene.answers.address("a"))
        scene.follower.settle()
        scene.log(RevokeTokens(userID: bob, before: 100), as: .server, serial: 1)
        #expect(scene.synced().isEmpty)
        for one in scene.port.waiting.withLock({ $0 }) { one.done() }
        #expect(scene.synced().map { $0.prefix(2) } == ["a:"])
    }
}
