import Testing

@testable import Simulation

/// The simulated clients parse the wire independently, in order to detect a faulty server.
@Suite struct WireTests {
    private static func inputs(_ bytes: [UInt8], pieces: Int = 1) -> [FrameReader.Input] {
        var reader = FrameReader()
        var inputs: [FrameReader.Input] = []
        let head = """
            HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\
            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n
            """
        let all = Array(head.utf8) + bytes
        for start in stride(from: 0, to: all.count, by: pieces) {
            reader.feed(
                SimulatedPipe.Piece(bytes: Array(all[start..<min(all.count, start + pieces)]), stamp: UInt64(start)))
            while let (input, _) = reader.next() { inputs.append(input) }
        }
        return Array(inputs.dropFirst())
    }

    private static func isInvalid(_ input: FrameReader.Input?) -> Bool {
        if case .invalid = input { true } else { false }
    }

    @Test(arguments: [1, 2, 3, 1_000]) func `frames decode identically wherever the bytes are split`(pieces: Int) throws
    {
        let long = [UInt8](repeating: 97, count: 300)
        let inputs = Self.inputs(
            [0x81, 2, 104, 105] + [0x81, 126, 1, 44] + long + [0x88, 2, 0x0B, 0xB9], pieces: pieces)
        try #require(inputs.count == 3)
        guard case .text(let first) = inputs[0], case .text(let second) = inputs[1], case .close(3001) = inputs[2]
        else {
            Issue.record("\(inputs)")
            return
        }
        #expect(first == [104, 105])
        #expect(second == long)
    }

    @Test(
        arguments: [
            [0x81, 0x82, 1, 2, 3, 4, 5, 6], [0xC1, 2, 104, 105], [0x01, 2, 104, 105], [0x83, 0], [0x81, 1, 0xFF],
            [0x81, 126, 0, 2, 104, 105], [0x81, 127, 0, 0, 0, 0, 0, 0, 0, 2, 104, 105], [0x88, 0, 0x81, 0],
        ] as [[UInt8]])
    func `frames that no server may send are reported as invalid`(frame: [UInt8]) {
        #expect(Self.isInvalid(Self.inputs(frame).last))
    }

    @Test func `a frame has the timestamp of its first byte`() {
        var reader = FrameReader()
        reader.feed(
            SimulatedPipe.Piece(
                bytes: Array("HTTP/1.1 101 x\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n".utf8),
                stamp: 1))
        reader.feed(SimulatedPipe.Piece(bytes: [0x81], stamp: 2))
        reader.feed(SimulatedPipe.Piece(bytes: [1, 104, 0x81, 1], stamp: 3))
        reader.feed(SimulatedPipe.Piece(bytes: [105], stamp: 4))
        var stamps: [UInt64] = []
        while let (_, stamp) = reader.next() { stamps.append(stamp) }
        #expect(stamps == [1, 2, 3])
    }

    @Test(arguments: [
        "{", "}", "[]", #"{"a":1"#, #"{"a":1}}"#, #"{"a":"x}"#, #"{"a":[1}"#, #"{"a":1,}"#, #"{a:1}"#, "{\"a\":\"\n\"}",
    ])
    func `text that is not an object is refused`(text: String) {
        #expect(PlainJSON(Array(text.utf8)).members() == nil)
    }

    @Test func `members, items, texts and numbers are found`() throws {
        let json = PlainJSON(Array(#"{"a":{"b":[1,"x,}",{"c":true}]},"d\"":18446744073709551615}"#.utf8))
        let items = try #require(json["a"]?["b"]?.items())
        #expect(items[0].number == 1)
        #expect(items[1].text == "x,}")
        #expect(items[2]["c"]?.isTrue == true)
        #expect(json[#"d\""#]?.number == .max)
        #expect(PlainJSON(Array("{}".utf8)).members()?.isEmpty == true)
    }
}
