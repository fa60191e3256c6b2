import ChatDomain
import ChatEngine
import ChatModel
import Synchronization
import Testing

/// An index that a test answers for.
final class HandIndex: SearchPort {
    private struct Contents {
        var changes: [String] = []
        var progress: [UInt64] = []
        var waiting: [(SearchLookup, @Sendable (SearchFindings) -> Void)] = []
        var isBehind: Bool?
    }

    private let known: SearchProgress?
    private let contents = Mutex(Contents())

    init(known: SearchProgress? = nil) { self.known = known }

    func begin() -> SearchProgress? { known }

    func append(_ changes: [SearchChange], through progress: SearchProgress) {
        contents.withLock { contents in
            contents.changes += changes.map { change in
                switch change {
                case .put(let room, let offset, let entry): "\(room.id) \(offset) \(entry.text)"
                case .remove(let room, let offset): "\(room.id) \(offset) -"
                case .removeRoom(let room): "\(room.id) -"
                case .readRoom(let room): "\(room.id) +"
                }
            }
            contents.progress.append(progress.frame)
        }
    }

    func start(readingFrom source: any SearchSource, isBehind: Bool) {
        contents.withLock { $0.isBehind = isBehind }
    }

    func find(_ lookup: SearchLookup, _ done: @escaping @Sendable (SearchFindings) -> Void) {
        contents.withLock { $0.waiting.append((lookup, done)) }
    }

    var changes: [String] { contents.withLock(\.changes) }
    var progress: [UInt64] { contents.withLock(\.progress) }
    var isBehind: Bool? { contents.withLock(\.isBehind) }
    var waitingCount: Int { contents.withLock(\.waiting.count) }

    /// Answers the oldest lookup with these offsets of its first range.
    func answer(_ offsets: [UInt64]) {
        let first = contents.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        guard let (lookup, done) = first else { return }
        let parts = lookup.ranges.map { range in
            SearchFindings.Part(
                offsets: offsets.filter(range.offsets.contains), reached: range.offsets.lowerBound, isKnown: true)
        }
        done(SearchFindings(parts: parts))
    }
}

extension ChatEngineTests {
    private func search(_ bench: Bench, _ command: UInt32, as user: UserID = ann) {
        bench.query(SearchMessages(channelID: general, query: "hello"), as: user, command)
    }

    @Test func `SE1: the index receives what became durable, before anybody hears of it`() {
        let index = HandIndex()
        let bench = Bench(search: index)
        bench.change(CreateChannel(id: general, isPublic: true), as: ann)
        bench.change(SendMessage(channelID: general, text: "one"), as: ann)
        #expect(index.changes.isEmpty)
        bench.log.sync()
        #expect(index.changes == ["general 2 one"])
        bench.engine.change(DeleteChannel(channelID: general), as: .server, answerTo: bench.address(3))
        bench.settle()
        bench.log.sync()
        #expect(index.changes == ["general 2 one", "general -"])
        #expect(index.progress.last == UInt64(bench.log.frames.count))
    }

    @Test func `SE1 PR4: the index forgets what retention removes`() {
        let index = HandIndex()
        let bench = Bench(search: index)
        bench.change(CreateChannel(id: general, isPublic: true), as: ann)
        for text in ["one", "two", "three"] { bench.change(SendMessage(channelID: general, text: text), as: ann) }
        bench.engine.change(
            SetRetention(channelID: general, maxMessages: 1), as: .server, answerTo: bench.address(3))
        bench.engine.meetDeadlinesNow()
        bench.settle()
        bench.log.sync()
        #expect(
            index.changes == ["general 2 one", "general 3 two", "general 4 three", "general 2 -", "general 3 -"])
    }

    @Test func `SE1: a search waits for the index, and other commands do not wait for it`() {
        let index = HandIndex()
        let bench = Bench(search: index)
        bench.change(CreateChannel(id: general, isPublic: true), as: ann, 1)
        bench.change(SendMessage(channelID: general, text: "hello"), as: ann, 2)
        bench.log.sync()
        _ = bench.ear.news()
        search(bench, 3)
        bench.query(GetChannel(channelID: general), as: ann, 4)
        #expect(bench.ear.news() == ["answer 4"] && index.waitingCount == 1)
        index.answer([2])
        bench.settle()
        #expect(bench.ear.news() == ["answer 3"])
    }

    @Test func `SE1: a user who leaves while the index searches is refused`() {
        let index = HandIndex()
        let bench = Bench(search: index)
        bench.change(CreateChannel(id: general, isPublic: true), as: ann, 1)
        bench.change(JoinChannel(channelID: general), as: bob, 2)
        bench.change(SendMessage(channelID: general, text: "hello"), as: ann, 3)
        search(bench, 4, as: bob)
        bench.change(LeaveChannel(channelID: general), as: bob, 5)
        bench.log.sync()
        _ = bench.ear.news()
        index.answer([3])
        bench.settle()
        #expect(bench.ear.news() == ["answer 4 \(ErrorCode.notAMember.rawValue)"])
    }

    @Test func `SE1: a user can have four searches in progress`() {
        let index = HandIndex()
        let bench = Bench(search: index)
        bench.change(CreateChannel(id: general, isPublic: true), as: ann, 1)
        bench.change(SendMessage(channelID: general, text: "hello"), as: ann, 2)
        bench.change(JoinChannel(channelID: general), as: bob, 3)
        bench.log.sync()
        _ = bench.ear.news()
        for command in 4...8 as ClosedRange<UInt32> { search(bench, command) }
        #expect(bench.ear.news() == ["answer 8 111"] && index.waitingCount == 4)
        search(bench, 9, as: bob)
        #expect(index.waitingCount == 5)
        for _ in 0..<5 { index.answer([]) }
        bench.settle()
        search(bench, 10)
        #expect(index.waitingCount == 1)
    }

    @Test func `SE1: after a restart, the index receives the frames that it lacks, or all messages`() {
        let first = Bench()
        first.change(CreateChannel(id: general, isPublic: true), as: ann)
        for number in 1...3 { first.change(SendMessage(channelID: general, text: "m\(number)"), as: ann) }
        let frames = first.log.frames
        let last = UInt64(frames.count)
        func known(_ frame: UInt64, later: Int64 = 0) -> SearchProgress {
            SearchProgress(frame: frame, at: (frames[Int(frame) - 1].last?.at ?? 0) + later)
        }
        let cases: [(SearchProgress?, base: Int, isBehind: Bool, changes: [String])] = [
            (nil, 0, true, []), (known(last), 0, false, []), (known(last - 1), 0, false, ["general 4 m3"]),
            (known(last - 2), Int(last) - 2, false, ["general 3 m2", "general 4 m3"]),
            // What the index lacks is no longer in the log.
            (known(last - 2), Int(last) - 1, true, []),
            // Another log, and one that lost its end.
            (known(last - 1, later: 1), 0, true, []), (SearchProgress(frame: last + 1, at: 0), 0, true, []),
        ]
        for (progress, base, isBehind, changes) in cases {
            let index = HandIndex(known: progress)
            _ = Bench(log: HandDrivenLog(frames: frames, base: base), search: index)
            #expect(index.isBehind == isBehind, "\(String(describing: progress)) from \(base)")
            #expect(index.changes == changes, "\(String(describing: progress)) from \(base)")
        }
    }
}
