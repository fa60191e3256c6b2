import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import Synchronization
import Testing

@Suite struct PresenceTests {
    /// Returns a bench in which ann is online and shares general with bob, who is offline.
    private func begin(
        grace: Int, clock: @escaping @Sendable () -> Int64 = { 1_780_000_000_000 }
    ) -> Bench {
        var settings = ChatSettings()
        settings.presenceGraceMilliseconds = grace
        let bench = Bench(settings: settings, clock: clock)
        bench.attach(ann)
        bench.change(CreateChannel(id: general, isPublic: true), as: ann)
        bench.log.sync()
        _ = bench.ear.news()
        return bench
    }

    @Test
    func `US6: coming online is ordered with other events, precedes the user's connect reply, and is reported once`() {
        let bench = begin(grace: 0)
        bench.change(JoinChannel(channelID: general), as: bob, 2)
        bench.attach(bob, 3)
        bench.attach(bob, 4)
        #expect(bench.ear.news().isEmpty, "what it is told of is not durable yet")
        bench.log.sync()
        #expect(
            bench.ear.news() == [
                "general 2 member.joined", "answer 2", "general 0 presence.changed", "attached 3 bob #bob@1 general@2",
                "attached 4 bob #bob@1 general@2",
            ])
        bench.detach(bob)
        bench.log.sync()
        #expect(bench.ear.news().isEmpty)
        bench.detach(bob)
        bench.log.sync()
        #expect(bench.ear.news() == ["general 0 presence.changed"])
        #expect(bench.log.reserved == 0)
    }

    @Test func `US6: a departure is reported after the grace period by the engine's clock, unless the user is back`() {
        let now = Mutex<Int64>(1_780_000_000_000)
        let bench = begin(grace: 60_000, clock: { now.withLock(\.self) })
        bench.change(JoinChannel(channelID: general), as: bob)
        bench.attach(bob)
        bench.detach(bob)
        now.withLock { $0 += 59_999 }
        bench.engine.expireNow()
        bench.attach(bob)
        now.withLock { $0 += 100_000 }
        bench.engine.expireNow()
        bench.settle()
        bench.log.sync()
        #expect(bench.ear.news().filter { $0.hasSuffix("presence.changed") } == ["general 0 presence.changed"])
        bench.detach(bob)
        now.withLock { $0 += 60_000 }
        bench.engine.expireNow()
        bench.settle()
        bench.log.sync()
        #expect(bench.ear.news() == ["general 0 presence.changed"])
    }

    @Test(.timeLimit(.minutes(10)))
    func `US6: the engine detects the end of a grace period without a command`() async throws {
        let start = ContinuousClock.now
        let bench = begin(
            grace: 5, clock: { 1_780_000_000_000 + Int64((ContinuousClock.now - start) / .milliseconds(1)) })
        bench.change(JoinChannel(channelID: general), as: bob)
        bench.attach(bob)
        bench.log.sync()
        _ = bench.ear.news()
        bench.detach(bob)
        while bench.ear.heard.isEmpty, !Task.isCancelled {
            bench.settle()
            bench.log.sync()
            await Task.yield()
        }
        #expect(bench.ear.news() == ["general 0 presence.changed"])
    }

    @Test func `US6: a connection refused at connect never counts as present`() {
        let bench = begin(grace: 0)
        bench.change(JoinChannel(channelID: general), as: bob)
        bench.log.sync()
        bench.engine.change(DeactivateUser(userID: bob), as: .server, answerTo: bench.address(5))
        bench.settle()
        bench.log.sync()
        _ = bench.ear.news()
        bench.attach(bob, 6)
        bench.log.sync()
        #expect(bench.ear.news() == ["answer 6 1008"])
    }
}
