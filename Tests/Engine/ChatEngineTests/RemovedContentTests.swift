import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import Synchronization
import Testing
import WireProtocol

/// A clock advanced by the test.
private final class SteppedClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_780_000_000_000)
    var now: Int64 { milliseconds.withLock(\.self) }
    func advance(_ step: Int64) { milliseconds.withLock { $0 += step } }
}

/// Messages that the engine removes by itself.
@Suite struct RemovedContentTests {
    private let time = SteppedClock()

    private func bench(_ log: HandDrivenLog = HandDrivenLog()) -> Bench {
        Bench(log: log, clock: { [time] in time.now })
    }

    private func begin() -> Bench {
        let bench = bench()
        bench.attach(ann)
        bench.attach(bob)
        bench.change(CreateChannel(id: general, userIDs: [bob]), as: ann)
        bench.log.sync()
        return bench
    }

    private func meetDeadlines(_ bench: Bench) {
        bench.engine.meetDeadlinesNow()
        bench.settle()
        bench.log.sync()
    }

    /// Returns what bob recovers after being disconnected since an offset, as text; `nil` if he cannot.
    private func recovered(after offset: UInt64, _ bench: Bench) -> [String] {
        bench.log.sync()
        _ = bench.ear.recovered()
        let epoch = bench.epoch(of: .channel(general))
        bench.attach(bob, 9, from: [.channel(general): RoomPosition(offset: offset, epoch: epoch)])
        bench.log.sync()
        return bench.ear.recovered().map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test func `MT9: the engine deletes a message when its time is over, and also after a restart`() {
        let first = begin()
        first.change(SendMessage(channelID: general, text: "secret", expiresInSeconds: 5), as: ann)
        first.log.sync()
        meetDeadlines(first)
        let count = first.log.frames.count
        time.advance(4_999)
        meetDeadlines(first)
        #expect(first.log.frames.count == count)
        time.advance(1)
        for base in [0, count] {
            let bench = bench(HandDrivenLog(frames: first.log.frames, base: base))
            meetDeadlines(bench)
            #expect(bench.log.frames.count == count + 1)
            meetDeadlines(bench)
            #expect(bench.log.frames.count == count + 1, "only once")
            #expect(!recovered(after: 2, bench).joined().contains("secret"))
        }
    }

    @Test func `PR4: nothing that retention removed is recovered, not even from later events`() throws {
        let bench = begin()
        bench.change(SendMessage(channelID: general, text: "secret"), as: ann)
        let frame = try #require(bench.log.frames.last?.first?.event)
        guard case .messageSent(let sent) = frame else {
            Issue.record("no message: \(frame)")
            return
        }
        bench.change(SendMessage(channelID: general, text: "kept"), as: ann)
        bench.change(UpdateMessage(channelID: general, messageID: sent.id, text: "secret 2"), as: ann)
        bench.change(
            SendMessage(channelID: general, text: "answer", parentMessageID: sent.id, replyToChannel: true), as: bob)
        #expect(recovered(after: 2, bench).joined().contains("secret"))
        bench.engine.change(
            SetRetention(channelID: general, maxMessages: 2), as: .server, answerTo: bench.address(5))
        bench.settle()
        meetDeadlines(bench)
        let removed = try #require(bench.log.frames.last?.first?.event)
        #expect(removed == .historyTrimmed(.init(channel: general, upTo: 3, files: [], clientIDsFrom: 4)))
        #expect(recovered(after: 2, bench).isEmpty, "older than what is kept for recovery")
        for bench in [bench, self.bench(HandDrivenLog(frames: bench.log.frames))] {
            let rest = recovered(after: 3, bench)
            #expect(rest.count == 3 && rest.joined().contains("kept") && !rest.joined().contains("secret"))
        }
    }

    @Test func `MT9 PR4: a log without space delays removals`() {
        let bench = begin()
        bench.change(SendMessage(channelID: general, text: "secret", expiresInSeconds: 5), as: ann)
        bench.log.sync()
        let count = bench.log.frames.count
        time.advance(5_000)
        bench.log.fill()
        meetDeadlines(bench)
        #expect(bench.log.frames.count == count)
        bench.log.empty()
        meetDeadlines(bench)
        #expect(bench.log.frames.count == count + 1)
    }
}
