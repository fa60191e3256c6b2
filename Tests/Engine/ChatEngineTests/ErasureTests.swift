import ChatDomain
import ChatModel
import Dispatch
import Gateway
import Journal
import Synchronization
import Testing
import WireProtocol

@testable import ChatEngine

/// Timers fired by the test, in any order of delays.
private final class Timers: Sendable {
    private let waiting = Mutex<[(delay: Int, body: @Sendable () -> Void)]>([])

    func add(_ delay: Int, _ body: @escaping @Sendable () -> Void) { waiting.withLock { $0.append((delay, body)) } }

    /// Whether one waits with the delays of deletions.
    var isErasing: Bool { waiting.withLock { $0.contains { $0.delay <= 100 } } }

    func removeAll() { waiting.withLock { $0 = [] } }

    /// Fires the timers with a delay of at most 100 ms.
    func pass(_ bench: Bench) {
        let due = waiting.withLock { waiting in
            let due = waiting.filter { $0.delay <= 100 }
            waiting.removeAll { $0.delay <= 100 }
            return due
        }
        for timer in due { bench.engine.queue.enter(timer.body) }
        bench.settle()
        bench.log.sync()
    }
}

/// Deleted users in the engine (`PR1`).
@Suite struct ErasureTests {
    private let timers = Timers()
    private let steps = Steps()

    private final class Steps: Sendable {
        private let all = Mutex<[String]>([])
        var taken: [String] { all.withLock(\.self) }
        func add(_ step: ErasureStep) {
            all.withLock { all in
                switch step {
                case .began(let user, let erased):
                    all.append("began \(user?.rawValue ?? "-") \(erased.alias.isDeleted)")
                case .ended(_, let alias, let frame): all.append("ended \(alias.isDeleted) \(frame)")
                }
            }
        }
    }

    /// Replaces any earlier server, whose timers end.
    private func bench(_ log: HandDrivenLog = HandDrivenLog()) -> Bench {
        timers.removeAll()
        return Bench(log: log, recordErasure: { [steps] in steps.add($0) }, later: { [timers] in timers.add($0, $1) })
    }

    /// Bob has written in ann's channel, and has left another one.
    private func begin() -> Bench {
        let bench = bench()
        bench.attach(ann)
        bench.attach(bob)
        bench.change(CreateChannel(id: general, userIDs: [bob]), as: ann)
        bench.change(SendMessage(channelID: general, text: "of bob"), as: bob)
        bench.change(SendMessage(channelID: general, text: "of ann"), as: ann)
        bench.log.sync()
        return bench
    }

    private func delete(_ bench: Bench, _ command: UInt32 = 7) {
        bench.engine.change(DeleteUser(userID: bob), as: .server, answerTo: bench.address(command))
        bench.settle()
        bench.log.sync()
    }

    private func finish(_ bench: Bench) { for _ in 0..<5 { timers.pass(bench) } }

    private func kinds(_ bench: Bench) -> [String] {
        bench.log.frames.joined().map { String("\($0.event)".prefix { $0 != "(" }) }
    }

    @Test func `PR1: a user is erased in turns after the answer, and also after a restart`() {
        let first = begin()
        _ = first.ear.news()
        delete(first)
        #expect(first.ear.news().contains("answer 7"))
        #expect(kinds(first).last == "userDeleted")
        #expect(steps.taken == ["began bob true"])
        for base in [0, first.log.frames.count] {
            let bench = bench(HandDrivenLog(frames: first.log.frames, base: base))
            finish(bench)
            #expect(kinds(bench).suffix(3) == ["memberLeft", "userReplaced", "userForgotten"])
            #expect(steps.taken.last == "ended true \(bench.log.frames.count)")
            let count = bench.log.frames.count
            finish(bench)
            #expect(bench.log.frames.count == count, "only once")
        }
    }

    @Test func `PR1: tokens from before are refused, also after a restart and for a later user`() throws {
        let first = begin()
        let old = Identity(user: bob, validFor: nil, issuedAt: 1_780_000_000)
        let new = Identity(user: bob, validFor: nil, issuedAt: 1_780_000_001)
        #expect(!first.engine.revokedTokens.refuses(old))
        delete(first)
        finish(first)
        for bench in [first, bench(HandDrivenLog(frames: first.log.frames, base: first.log.frames.count))] {
            #expect(bench.engine.revokedTokens.refuses(old) && !bench.engine.revokedTokens.refuses(new))
            #expect(!bench.engine.revokedTokens.refuses(Identity(user: ann, validFor: nil, issuedAt: 5)))
            bench.attach(bob, 9)
            bench.log.sync()
            #expect(bench.engine.revokedTokens.refuses(old) && !bench.engine.revokedTokens.refuses(new))
        }
    }

    @Test func `PR1: events that name the user are not recovered, and gaps are told`() {
        let first = begin()
        delete(first)
        finish(first)
        first.change(SendMessage(channelID: general, text: "later"), as: ann)
        first.log.sync()
        for bench in [first, bench(HandDrivenLog(frames: first.log.frames))] {
            #expect(recovered(after: 2, bench) == nil)
            let last = recovered(after: 5, bench)
            #expect(last?.count == 1 && last?.first?.contains("later") == true)
        }
    }

    /// Returns what ann recovers after an offset; `nil` if she cannot.
    private func recovered(after offset: UInt64, _ bench: Bench) -> [String]? {
        _ = bench.ear.recovered()
        _ = bench.ear.news()
        let epoch = bench.epoch(of: .channel(general))
        bench.attach(ann, 9, from: [.channel(general): RoomPosition(offset: offset, epoch: epoch)])
        bench.log.sync()
        let events = bench.ear.recovered().map { String(decoding: $0.data, as: UTF8.self) }
        return events.isEmpty ? nil : events
    }

    @Test func `PR1: a log without space delays an erasure, and a node that follows only follows`() {
        let bench = begin()
        delete(bench)
        let count = bench.log.frames.count
        bench.log.fill()
        finish(bench)
        #expect(bench.log.frames.count == count)
        bench.log.empty()
        bench.log.setFollowing(true)
        finish(bench)
        #expect(bench.log.frames.count == count)
        // The node decides from now on.
        bench.log.setFollowing(false)
        finish(bench)
        #expect(kinds(bench).last == "userForgotten")
    }

    @Test func `PR1: a chat restored from a backup repeats the deletions that it is told of`() {
        let live = begin()
        let backup = live.log.frames
        delete(live)
        finish(live)
        let known = Mutex<[ErasedUser]>([])
        live.engine.readErasedUsers { users, unfinished, frame in
            known.withLock { $0 = users }
            #expect(unfinished.isEmpty && frame == UInt64(live.log.frames.count))
        }
        live.settle()
        let restored = bench(HandDrivenLog(frames: backup))
        let isDone = Mutex(false)
        restored.engine.repeatErasures(known.withLock(\.self)) { isDone.withLock { $0 = true } }
        restored.settle()
        restored.log.sync()
        var isOver: Bool { isDone.withLock(\.self) }
        #expect(!isOver)
        finish(restored)
        #expect(isOver && kinds(restored).last == "userForgotten")
        let count = restored.log.frames.count
        isDone.withLock { $0 = false }
        restored.engine.repeatErasures(known.withLock(\.self)) { isDone.withLock { $0 = true } }
        restored.settle()
        finish(restored)
        #expect(isOver && restored.log.frames.count == count)
    }

    @Test func `PR1: who waits for repeated deletions does not wait for later ones`() {
        let live = begin()
        let zoe = UserID(stringLiteral: "zoe")
        live.change(SendMessage(channelID: general, text: "more"), as: ann)
        live.attach(zoe)
        live.log.sync()
        let known = [
            ErasedUser(key: bob.erasureKey, alias: .deleted(1), before: 1_780_000_000, deletesMessages: false)
        ]
        let isDone = Mutex(false)
        live.engine.repeatErasures(known) { isDone.withLock { $0 = true } }
        live.settle()
        // Deletions that begin one after another never leave a moment without any.
        for number in 0..<20 where !isDone.withLock(\.self) {
            let user = UserID(stringLiteral: "later \(number)")
            live.attach(user)
            live.engine.change(DeleteUser(userID: user), as: .server, answerTo: live.address(100))
            live.settle()
            live.log.sync()
            timers.pass(live)
        }
        let isOver = isDone.withLock(\.self)
        #expect(isOver)
    }

    @Test func `PR1: no timer runs on a node that follows once nobody is being deleted`() {
        let source = begin()
        delete(source)
        let began = source.log.frames.count
        finish(source)
        let frames = source.log.frames.enumerated().map { LoggedFrame(number: UInt64($0 + 1), records: $1) }
        let follower = bench()
        follower.engine.join(RecordedPort())
        follower.log.setFollowing(true)
        func follow(_ frames: some Sequence<LoggedFrame>) {
            follower.engine.follow(Array(frames)) { if case .failure(let reason) = $0 { Issue.record(reason) } }
            follower.settle()
        }
        follow(frames.prefix(began))
        finish(follower)
        #expect(timers.isErasing, "the deletion may become this node's to finish")
        follow(frames.dropFirst(began))
        finish(follower)
        #expect(!timers.isErasing && follower.log.frames.count == frames.count)
    }
}
