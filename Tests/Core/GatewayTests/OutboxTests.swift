import Gateway
import TestSupport
import Testing

@Suite struct OutboxTests {
    private func outbox(bytes: Int = 10, writes: Int = 3) -> Outbox {
        var limits = Outbox.Limits()
        limits.bytes = bytes
        limits.writes = writes
        return Outbox(limits: .init(limits))
    }

    @Test func `the outbox overflows at one byte or one write beyond its limits`() {
        var byBytes = outbox()
        #expect(byBytes.append(bytes("12345")) == .normal)
        #expect(byBytes.append(bytes("12345")) == .normal)
        #expect(byBytes.append(bytes("1")) == .overflowed)
        var byWrites = outbox()
        for _ in 0..<3 { #expect(byWrites.append(bytes("1")) == .normal) }
        #expect(byWrites.append(bytes("1")) == .overflowed)
        var begun = outbox()
        #expect(begun.append(bytes("123456789012"), sent: 2) == .normal, "what has left does not count")
        #expect(begun.byteCount == 10)
    }

    @Test func `droppable writes can fill at most half of the outbox`() {
        var outbox = outbox(bytes: 10, writes: 6)
        #expect(outbox.acceptsTransient(5) && !outbox.acceptsTransient(6))
        _ = outbox.append(bytes("123"))
        _ = outbox.append(bytes("1234567890"), isAnswer: true)
        #expect(outbox.acceptsTransient(2) && !outbox.acceptsTransient(3), "answers have their own space")
        _ = outbox.append(bytes("1"))
        #expect(outbox.acceptsTransient(1) == false, "half of the writes")
        outbox.drain { $0.count }
        #expect(outbox.acceptsTransient(5) == true)
    }

    /// Regression: a page of long messages closed a healthy reader as slow.
    @Test func `replies have a separate limit, because the client requested them`() {
        func full() -> Outbox {
            var limits = Outbox.Limits()
            limits.bytes = 10
            limits.answerBytes = 20
            var outbox = Outbox(limits: .init(limits))
            #expect(outbox.append(bytes("12345678901234567890"), isAnswer: true) == .normal)
            #expect(outbox.isFull == true)
            #expect(outbox.append(bytes("1234567890")) == .normal, "events have theirs")
            return outbox
        }
        var oneTooMany = full()
        #expect(oneTooMany.append(bytes("1")) == .overflowed)
        var outbox = full()
        #expect(outbox.append(bytes("1"), isAnswer: true) == .overflowed)
        outbox.drain { min($0.count, 5) }
        #expect(!outbox.isFull || outbox.byteCount > 10)
        outbox.drain { $0.count }
        #expect(!outbox.isFull && outbox.isEmpty)
        #expect(outbox.append(bytes("12345678901234567890"), isAnswer: true) == .normal, "what has left counts no more")
        outbox.dropUnstarted()
        #expect(outbox.append(bytes("12345678901234567890"), isAnswer: true) == .normal, "nor what was given up")
    }

    @Test(arguments: 0...29)
    func `an event and an answer in one write count toward separate limits, however much was sent`(sent: Int) {
        /// Ten bytes of an event and twenty of an answer, which fill both limits.
        func partlySent() -> Outbox {
            var limits = Outbox.Limits()
            (limits.bytes, limits.answerBytes) = (10, 20)
            var outbox = Outbox(limits: .init(limits))
            let begun = min(sent, 5)
            #expect(outbox.append(bytes("event 7890answer 8901234567890"), sent: begun, unrequested: 10) == .normal)
            var rest = sent - begun
            outbox.drain { buffer in
                guard rest > 0 else { return nil }
                defer { rest = 0 }
                return min(rest, buffer.count)
            }
            return outbox
        }
        let (sentOfEvent, sentOfAnswer) = (min(sent, 10), max(0, sent - 10))
        for isAnswer in [false, true] {
            let free = isAnswer ? sentOfAnswer : sentOfEvent
            var fitting = partlySent()
            #expect(fitting.append([UInt8](repeating: 1, count: free), isAnswer: isAnswer) == .normal)
            var over = partlySent()
            #expect(over.append([UInt8](repeating: 1, count: free + 1), isAnswer: isAnswer) == .overflowed)
            var restarted = partlySent()
            restarted.dropUnstarted(hasBegun: true)
            #expect(restarted.append([UInt8](repeating: 1, count: free + 1), isAnswer: isAnswer) == .overflowed)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `the peer gets every byte once and in order, however much it accepts at a time`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var outbox = outbox(bytes: 1_000_000, writes: 1_000)
        var (all, got) = ([UInt8](), [UInt8]())
        for _ in 0..<200 {
            if generator.chance(percent: 50) {
                let frames = (0..<Int.random(in: 1...9, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                let sent = outbox.isEmpty ? Int.random(in: 0..<frames.count, using: &generator) : 0
                got += frames.prefix(sent)
                all += frames
                _ = outbox.append(frames, sent: sent)
            } else {
                outbox.drain { buffer in
                    guard generator.chance(percent: 70) else { return nil }
                    let count = Int.random(in: 0...buffer.count, using: &generator)
                    got += buffer.prefix(count)
                    return count
                }
            }
            #expect(outbox.byteCount == all.count - got.count, "seed \(seed)")
            #expect(outbox.isEmpty == (all.count == got.count), "seed \(seed)")
        }
        outbox.drain { buffer in
            got += buffer
            return buffer.count
        }
        #expect(got == all, "seed \(seed)")
    }

    @Test func `a write that has not started can be dropped from between two others`() {
        var outbox = outbox(bytes: 100)
        _ = outbox.append(bytes("first"), sent: 2)
        _ = outbox.append(bytes("second"))
        outbox.dropUnstarted()
        #expect(outbox.byteCount == 3)
        _ = outbox.append(bytes("|bye"))
        var got = ""
        outbox.drain { buffer in
            got += text(buffer)
            return buffer.count
        }
        #expect(got == "rst|bye" && outbox.isEmpty && outbox.byteCount == 0)
        _ = outbox.append(bytes("veiled"))
        _ = outbox.append(bytes("second"))
        outbox.dropUnstarted(hasBegun: true)
        #expect(outbox.byteCount == 6, "TLS may have begun with what does not count as left")
        outbox.drain { $0.count }
        _ = outbox.append(bytes("third"))
        outbox.dropUnstarted()
        #expect(outbox.isEmpty && outbox.byteCount == 0)
        outbox.dropUnstarted()
        #expect(outbox.isEmpty == true)
    }
}
