import ChatDomain
import ChatModel
import Dispatch
import Synchronization
import Testing

@testable import ChatEngine

/// Timers fired by the test.
private final class Timers: Sendable {
    private let waiting = Mutex<[(delay: Int, body: @Sendable () -> Void)]>([])

    func add(_ delay: Int, _ body: @escaping @Sendable () -> Void) { waiting.withLock { $0.append((delay, body)) } }

    /// - Returns: The number of timers with this delay.
    @discardableResult
    func pass(_ delay: Int, _ bench: Bench) -> Int {
        let due = waiting.withLock { waiting in
            let due = waiting.filter { $0.delay == delay }
            waiting.removeAll { $0.delay == delay }
            return due
        }
        for timer in due { bench.engine.queue.enter(timer.body) }
        bench.settle()
        bench.log.sync()
        return due.count
    }
}

@Suite struct FollowUpTests {
    private let timers = Timers()
    private let guests = (0..<250).map { UserID.guest(1, UInt64($0)) }

    private func bench(_ log: HandDrivenLog = HandDrivenLog()) -> Bench {
        var settings = ChatSettings()
        settings.guests.isEnabled = true
        return Bench(log: log, settings: settings, later: { [timers] in timers.add($0, $1) })
    }

    /// Returns a bench with ann's public channel and all guests in it, of whom only the first is connected.
    private func crowded() -> Bench {
        let bench = bench()
        bench.change(
            CreateChannel(id: general, operatorUserIDs: [ann], isPublic: true, isSuper: true), as: ann)
        for guest in guests {
            bench.engine.change(
                AdmitGuest(id: guest, nickname: nil), as: .server, answerTo: bench.address(1))
        }
        bench.settle()
        for start in stride(from: 0, to: guests.count, by: 50) {
            bench.engine.change(
                InviteToChannel(channelID: general, userIDs: Array(guests[start..<start + 50])), as: .server,
                answerTo: bench.address(1))
        }
        bench.settle()
        bench.attach(guests[0])
        bench.attach(ann)
        bench.log.sync()
        _ = bench.ear.news()
        return bench
    }

    @Test func `guests of a channel that becomes private leave in separate engine turns, and lose the room first`() {
        let bench = crowded()
        let frames = bench.log.frames.count
        bench.change(UpdateChannel(channelID: general, isPublic: false), as: ann, 7)
        bench.log.sync()
        let top = 2 + guests.count
        #expect(bench.ear.news() == ["lost guests general", "general \(top) channel.updated", "answer 7"])
        bench.subscribe(guests[0], to: .channel(general), 8)
        bench.log.sync()
        #expect(bench.ear.news() == ["subscribed 8 1000"])
        for count in [100, 100, 50] {
            #expect(timers.pass(1, bench) == 1)
            #expect(bench.log.frames.last?.count == count)
        }
        #expect(timers.pass(1, bench) == 0 && bench.log.frames.count == frames + 4)
        bench.attach(guests[249], 9)
        bench.log.sync()
        #expect(bench.ear.news().last == "attached 9 \(guests[249]) #\(guests[249])@2")
    }

    @Test func `a server that stops while guests leave continues with the others at its next startup`() {
        let first = crowded()
        first.change(UpdateChannel(channelID: general, isPublic: false), as: ann)
        timers.pass(1, first)
        let frames = first.log.frames
        for base in [0, frames.count - 1, frames.count] {
            let timers = Timers()
            var settings = ChatSettings()
            settings.guests.isEnabled = true
            let second = Bench(
                log: HandDrivenLog(frames: frames, base: base), settings: settings, later: { timers.add($0, $1) })
            #expect(timers.pass(1, second) == 1 && timers.pass(1, second) == 1 && timers.pass(1, second) == 0)
            let left = second.log.frames.dropFirst(frames.count).joined().map(\.event)
            #expect(left == guests.dropFirst(100).map { .memberLeft(general, $0) })
        }
    }

    @Test func `without space in the log, or while clients are slow, the remaining guests wait and nothing is lost`() {
        let bench = crowded()
        bench.change(UpdateChannel(channelID: general, isPublic: false), as: ann)
        let frames = bench.log.frames.count
        bench.log.fill()
        timers.pass(1, bench)
        bench.log.empty()
        bench.ear.waiting.withLock { $0 = 1_000_000 }
        #expect(timers.pass(1, bench) == 0 && timers.pass(100, bench) == 1)
        #expect(bench.log.frames.count == frames && bench.log.reserved == 0)
        bench.ear.waiting.withLock { $0 = 0 }
        #expect(timers.pass(100, bench) == 1 && timers.pass(1, bench) == 1 && timers.pass(1, bench) == 1)
        #expect(bench.log.frames.count == frames + 3)
    }

    @Test func `files of a deleted channel are removed from the folder over several turns`() {
        let removed = Mutex<[Int]>([])
        let first = Bench()
        first.change(CreateChannel(id: general, operatorUserIDs: [ann]), as: ann)
        let files = (0..<150).map { number in
            Record(
                event: .fileRegistered(
                    UploadedFile(
                        id: FileID(high: 1, low: UInt64(number)), channel: general, owner: ann, name: "file", size: 1,
                        mimeType: "image/png")), at: 1_780_000_000_000, by: ann, positions: [])
        }
        let bench = Bench(
            log: HandDrivenLog(frames: first.log.frames + [files]),
            removeFiles: { ids in removed.withLock { $0.append(ids.count) } }, later: { [timers] in timers.add($0, $1) }
        )
        bench.change(DeleteChannel(channelID: general), as: ann)
        bench.log.sync()
        #expect(removed.withLock(\.self) == [])
        timers.pass(1, bench)
        timers.pass(1, bench)
        #expect(removed.withLock(\.self) == [100, 50])
    }
}
