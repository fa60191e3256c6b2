import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import Testing
import WireProtocol

/// Issue 20, N42, N80 and N81: startup encoded every event of the last 100,000 frames, however large, for rings that
/// kept only a few of them.
@Suite struct RefillTests {
    private func begin() -> Bench {
        let bench = Bench()
        bench.attach(ann)
        bench.attach(bob)
        bench.change(CreateChannel(id: general, userIDs: [bob], operatorUserIDs: [ann]), as: ann)
        return bench
    }

    private func restarted(_ bench: Bench, firstOfLast: UInt64 = 1) -> Bench {
        bench.log.sync()
        let next = Bench(log: HandDrivenLog(frames: bench.log.frames, firstOfLast: firstOfLast))
        next.log.queue.enter {}
        return next
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func recovered(_ bench: Bench, after offset: UInt64) -> [String]? {
        bench.log.sync()
        _ = (bench.ear.recovered(), bench.ear.news())
        let position = RoomPosition(offset: offset, epoch: bench.epoch(of: .channel(general)))
        bench.attach(bob, 9, from: [.channel(general): position])
        bench.log.sync()
        guard !bench.ear.news().joined().contains("impossible") else { return nil }
        return bench.ear.recovered().map { text($0.data) + ($0.redacted.map { text($0.data) } ?? "") }
    }

    private func send(_ text: String, to parent: MessageID? = nil, _ bench: Bench) -> MessageID? {
        bench.engine.change(
            SendMessage(channelID: general, text: text, parentMessageID: parent), as: .user(ann), admitsNewcomer: false,
            answerTo: bench.address(2))
        bench.settle()
        guard case .messageSent(let sent) = bench.log.frames.last?.first?.event else { return nil }
        return sent.id
    }

    /// Sends a message whose event has 100 KiB, and edits it a number of times.
    private func fill(_ bench: Bench, edits: Int) throws -> UInt64 {
        let message = try #require(send(String(repeating: "\u{1}", count: 16_384), bench))
        for number in 0..<edits {
            bench.engine.change(
                UpdateMessage(channelID: general, messageID: message, customType: "c\(number % 2)"), as: .user(ann),
                admitsNewcomer: false, answerTo: bench.address(3))
        }
        bench.settle()
        bench.log.sync()
        return UInt64(3 + edits)
    }

    @Test
    func `startup encodes large events only as far as the rings keep them, with the same bytes as before`() throws {
        let bench = begin()
        let top = try fill(bench, edits: 60)
        let next = restarted(bench)
        #expect(next.publisher.encodedAtStart < 20, "a ring has 1 MiB: ten of them, and a few small events")
        for offset in [top - 5, top - 1, top] {
            let before = try #require(recovered(bench, after: offset))
            #expect(try #require(recovered(next, after: offset)) == before)
            #expect(before.count == Int(top - offset))
        }
    }

    @Test
    func `startup encodes small events only as far as the rings keep them, with the same bytes as before`() throws {
        let bench = begin()
        for number in 0..<3_000 { _ = send("m\(number)", bench) }
        let next = restarted(bench)
        #expect(next.publisher.encodedAtStart < 1_100)
        #expect(recovered(next, after: 2_002) == recovered(bench, after: 2_002))
        #expect(recovered(next, after: 2_002)?.count == 1_000)
        #expect(recovered(next, after: 2_001) == recovered(bench, after: 2_001))
    }

    @Test func `MS8: an event encoded late omits content deleted later`() throws {
        let bench = begin()
        let large = try #require(send(String(repeating: "x", count: 16_000) + " secret", bench))
        let small = try #require(send("secret", bench))
        let replies = [send("a reply", to: small, bench), send("another", to: large, bench)]
        for message in replies.compactMap({ $0 }) + [large, small] {
            bench.change(DeleteMessage(channelID: general, messageID: message), as: ann)
        }
        let next = restarted(bench)
        let after = try #require(recovered(next, after: 2))
        #expect(after == recovered(bench, after: 2))
        #expect(after.count == 8 && !after.joined().contains("secret"))
    }

    @Test func `the log is read for recovery only up to the recoverable bytes`() throws {
        let bench = begin()
        for number in 0..<10 { _ = send("m\(number)", bench) }
        let frames = UInt64(bench.log.frames.count)
        let next = restarted(bench, firstOfLast: frames - 2)
        #expect(recovered(next, after: 9)?.count == 3)
        #expect(recovered(next, after: 8)?.isEmpty ?? true)
        #expect(next.publisher.encodedAtStart == 3)
        #expect(restarted(bench, firstOfLast: frames + 1).publisher.encodedAtStart == 0)
    }
}
