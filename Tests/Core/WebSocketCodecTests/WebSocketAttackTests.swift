import Testing
import WebSocketCodec

/// The frame attacks in the list of attacks that concern the codec.
@Suite struct WebSocketAttackTests {
    @Test(
        arguments: [
            ((1 << 63) - 1, .frameTooBig(bytes: Int.max, limit: 65_536)), (1 << 63, .lengthHighBitSet),
            (UInt64.max, .lengthHighBitSet), (1 << 30, .frameTooBig(bytes: 1 << 30, limit: 65_536)),
        ] as [(UInt64, ProtocolViolation)])
    func `a giant frame is refused from its header alone`(length: UInt64, violation: ProtocolViolation) {
        let lengthBytes = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> UInt64($0)) }
        let bytes: [UInt8] = [0x82, 0xFF] + lengthBytes
        #expect(receive(bytes) == Received(violation: violation))
        #expect(receive(bytes, cutAt: Array(0...bytes.count)) == Received(violation: violation))
    }

    private final class Connection {
        var receiver: WebSocketReceiver
        init(limits: WebSocketLimits) { receiver = WebSocketReceiver(role: .server, limits: limits) }
    }

    @Test func `an announced gigabyte within the limit that is never sent costs no memory`() throws {
        let limits = WebSocketLimits(messageBytes: 1 << 30, frameBytes: 1 << 30)
        // If the announced length were allocated, these would require ten terabytes.
        let connections = (0..<10_000).map { _ in Connection(limits: limits) }
        for connection in connections {
            connection.receiver.feed([0x82, 0xFF, 0, 0, 0, 0, 0x40, 0, 0, 0, 1, 2, 3, 4])
            #expect(try connection.receiver.next() == nil)
            #expect(connection.receiver.bufferedBytes == 0)
            #expect(connection.receiver.isInsideMessage == true)
        }
    }

    @Test(arguments: [[], [0x61]] as [[UInt8]])
    func `a message split into tiny fragments is refused at the limit`(payload: [UInt8]) throws {
        let limits = WebSocketLimits(fragmentsPerMessage: 1_024)
        var receiver = WebSocketReceiver(role: .server, limits: limits)
        receiver.feed(masked(.binary, isFinal: false, payload))
        for _ in 0..<1_023 { receiver.feed(masked(.continuation, isFinal: false, payload)) }
        #expect(try receiver.next() == nil)
        #expect(receiver.bufferedBytes == 1_024 * payload.count)
        receiver.feed([0x00])
        #expect(throws: ProtocolViolation.tooManyFragments(limit: 1_024)) { try receiver.next() }
    }

    @Test func `the last allowed fragment can end the message`() {
        let limits = WebSocketLimits(fragmentsPerMessage: 3)
        let start = masked(.text, isFinal: false, "a") + masked(.continuation, isFinal: false, "b")
        #expect(receive(start + masked(.continuation, "c"), limits: limits).events == [text("abc")])
        #expect(
            receive(start + masked(.continuation, isFinal: false, "c") + masked(.continuation, "d"), limits: limits)
                .violation == .tooManyFragments(limit: 3))
    }

    @Test func `a message over the limit is refused at the header that exceeds it`() {
        let limits = WebSocketLimits(messageBytes: 10, frameBytes: 8)
        let start = masked(.binary, isFinal: false, [UInt8](repeating: 1, count: 8))
        #expect(receive(start + masked(.continuation, [2, 2]), limits: limits).events.count == 1)
        #expect(
            receive(start + masked(.continuation, [2, 2, 2]).prefix(6), limits: limits)
                == Received(violation: .messageTooBig(limit: 10)))
        #expect(
            receive(masked(.binary, [UInt8](repeating: 1, count: 9)), limits: limits)
                == Received(violation: .frameTooBig(bytes: 9, limit: 8)))
        let single = WebSocketLimits(messageBytes: 8, frameBytes: 100)
        #expect(
            receive(masked(.binary, [UInt8](repeating: 1, count: 9)), limits: single)
                == Received(violation: .messageTooBig(limit: 8)))
    }

    @Test func `the largest limits cause no overflow`() {
        let limits = WebSocketLimits(messageBytes: .max, frameBytes: .max, fragmentsPerMessage: .max)
        let giant: [UInt8] = [0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4]
        #expect(receive([0x82] + giant + [1, 2, 3], limits: limits) == Received())
        #expect(
            receive(masked(.binary, isFinal: false, [1]) + [0x80] + giant, limits: limits)
                == Received(violation: .messageTooBig(limit: .max)))
    }

    @Test func `pings in a flood are returned one by one and never buffered twice`() throws {
        var receiver = WebSocketReceiver(role: .server)
        let ping = masked(.ping, [UInt8](repeating: 7, count: 125))
        for _ in 0..<100 {
            receiver.feed((0..<100).flatMap { _ in ping })
            #expect(receiver.bufferedBytes == 100 * ping.count)
            var count = 0
            while try receiver.next() != nil { count += 1 }
            #expect(count == 100)
            #expect(receiver.bufferedBytes == 0)
        }
    }

    @Test func `masked and unmasked frames in one stream are refused in either role`() {
        #expect(
            receive(masked(.text, "a") + unmasked(.text, [0x62]))
                == Received(events: [text("a")], violation: .wrongMasking))
        #expect(
            receive(unmasked(.text, [0x61]) + masked(.text, "b"), as: .client)
                == Received(events: [text("a")], violation: .wrongMasking))
    }
}
