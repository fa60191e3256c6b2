import ChatDomain
import ChatEngine
import ChatModel
import Dispatch
import Testing

/// Commands and queries that need bodies from disk.
extension ChatEngineTests {
    /// Returns an engine whose messages are all on disk, and the ids of two of them in different blocks.
    private func onDisk(
        bodyBytes: Int = .max, blockLoadingBytes: Int = .max
    ) throws -> (Bench, BodyShelf, [MessageID]) {
        let first = begin()
        for number in 0..<100 { first.change(SendMessage(channelID: general, text: "m\(number)"), as: ann) }
        let ids = first.log.frames.joined().compactMap { record in
            if case .messageSent(let sent) = record.event { sent.id } else { nil as MessageID? }
        }
        let shelf = BodyShelf()
        let log = HandDrivenLog(frames: first.log.frames, base: first.log.frames.count, shelf: shelf)
        let bench = Bench(
            log: log, loader: { shelf.load($0) }, bodyBytes: bodyBytes, blockLoadingBytes: blockLoadingBytes)
        return (bench, shelf, [try #require(ids.first), try #require(ids.last)])
    }

    /// - Returns: How often the disk has answered.
    @discardableResult
    private func answerAll(_ bench: Bench, _ shelf: BodyShelf) -> Int {
        var count = 0
        repeat {
            shelf.answer()
            bench.pause()
            count += 1
        } while shelf.waitingCount > 0
        return count
    }

    @Test func `a query waits for the disk while others are answered`() throws {
        let (bench, shelf, ids) = try onDisk()
        bench.engine.query(
            GetMessage(channelID: general, messageID: ids[0]), as: .user(ann), answerTo: bench.address(1))
        bench.engine.query(GetUnreadCounts(), as: .user(bob), answerTo: bench.address(2))
        bench.pause()
        #expect(bench.ear.news() == ["answer 2"])
        #expect(shelf.waitingCount == 1)
        answerAll(bench, shelf)
        #expect(bench.ear.news() == ["answer 1"])
    }

    @Test func `the commands of a user keep their order while one waits for the disk`() throws {
        let (bench, shelf, ids) = try onDisk()
        bench.engine.change(
            UpdateMessage(channelID: general, messageID: ids[0], text: "changed"), as: .user(ann),
            answerTo: bench.address(1))
        bench.engine.change(
            DeleteMessage(channelID: general, messageID: ids[0]), as: .user(ann), answerTo: bench.address(2))
        bench.pause()
        #expect(bench.log.pending.isEmpty)
        answerAll(bench, shelf)
        bench.settle()
        bench.log.sync()
        #expect(bench.ear.news().filter { $0.hasPrefix("answer") } == ["answer 1", "answer 2"])
        let events = bench.log.frames.suffix(2).joined().map(\.event)
        guard case .messageUpdated(let updated) = events.first, case .messageDeleted = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(updated.text == "changed")
    }

    @Test func `commands of server keys do not wait for each other's messages on disk`() throws {
        let (bench, shelf, ids) = try onDisk()
        bench.engine.query(
            GetMessage(channelID: general, messageID: ids[0]), as: .server, answerTo: bench.address(1))
        bench.engine.query(GetUser(userID: ann), as: .server, answerTo: bench.address(2))
        bench.pause()
        #expect(bench.ear.news() == ["answer 2"])
        answerAll(bench, shelf)
        bench.settle()
        #expect(bench.ear.news() == ["answer 1"])
    }

    @Test func `a command that keeps missing messages is refused with 111`() throws {
        let (bench, shelf, ids) = try onDisk()
        shelf.replaceAll(by: .unavailable)
        bench.engine.change(
            UpdateMessage(channelID: general, messageID: ids[0], text: "changed"), as: .user(ann),
            answerTo: bench.address(1))
        bench.pause()
        #expect(answerAll(bench, shelf) == 16)
        #expect(bench.ear.news() == ["answer 1 111"])
        #expect(bench.log.reserved == 0)
    }

    @Test func `while as much is being read as may be, queries that need more are refused with 111`() throws {
        let (bench, shelf, ids) = try onDisk(blockLoadingBytes: 1)
        for (command, user) in [(1, ann), (2, bob)] as [(UInt32, UserID)] {
            bench.engine.query(
                GetMessage(channelID: general, messageID: ids[0]), as: .user(user), answerTo: bench.address(command))
        }
        bench.pause()
        #expect(bench.ear.news() == ["answer 2 111"])
        answerAll(bench, shelf)
        #expect(bench.ear.news() == ["answer 1"])
        bench.engine.query(
            GetMessage(channelID: general, messageID: ids[1]), as: .user(bob), answerTo: bench.address(3))
        bench.pause()
        answerAll(bench, shelf)
        #expect(bench.ear.news() == ["answer 3"])
    }

    @Test func `a message whose block is damaged cannot be changed, and everything else goes on`() throws {
        let (bench, shelf, ids) = try onDisk()
        shelf.replaceAll(by: .damaged)
        bench.engine.change(
            UpdateMessage(channelID: general, messageID: ids[0], text: "changed"), as: .user(ann),
            answerTo: bench.address(1))
        bench.pause()
        answerAll(bench, shelf)
        #expect(bench.ear.news() == ["answer 1 1040"])
        bench.change(hello, as: ann, 2)
        bench.log.sync()
        #expect(bench.ear.news().last == "answer 2")
    }

    @Test func `an engine uses the blocks of a snapshot, and keeps no more bodies in memory than it may`() throws {
        let (bench, shelf, _) = try onDisk(bodyBytes: 0)
        for number in 0..<100 { bench.change(SendMessage(channelID: general, text: "n\(number)"), as: ann) }
        bench.log.sync()
        _ = bench.ear.news()
        let state = try HandDrivenLog(frames: bench.log.frames, base: bench.log.frames.count).base().state
        let blocks = shelf.store(state).blocks
        let done = DispatchSemaphore(value: 0)
        bench.engine.adopt(blocks, asOf: .max, keeping: []) { _ in done.signal() }
        bench.pause()
        while shelf.waitingCount == 0 { bench.pause() }
        answerAll(bench, shelf)
        #expect(done.wait(timeout: .now() + .seconds(10)) == .success)
        bench.engine.query(ListMessages(channelID: general, limit: 10), as: .user(bob), answerTo: bench.address(5))
        bench.pause()
        #expect(shelf.waitingCount == 1)
        answerAll(bench, shelf)
        bench.settle()
        #expect(bench.ear.news() == ["answer 5"])
    }
}
