import Testing

@testable import RawLoad

@Suite struct DialectTests {
    private let first = Seat.member(room: 17, isFirst: true)
    private let other = Seat.member(room: 17, isFirst: false)
    private let belfry = Dialect(.belfry(channel: "c", token: { "token of \($0)" }))

    /// The payload of a client's frame.
    private func unmasked(_ frame: [UInt8]) -> String {
        let start = frame[1] & 0x7F == 126 ? 4 : 2
        let key = Array(frame[start..<(start + 4)])
        let payload = frame[(start + 4)...].enumerated().map { $0.element ^ key[$0.offset & 3] }
        return String(decoding: payload, as: UTF8.self)
    }

    private func greeting(_ dialect: Dialect, _ seat: Seat) throws -> [String] {
        try dialect.greeting(of: seat, user: "ann").map(unmasked)
    }

    @Test func `plain servers learn the role from the path`() throws {
        let dialect = Dialect(.plain)
        #expect([.subscriber, .publisher, first].map { dialect.path(of: $0) } == ["/sub", "/pub", "/rooms/17"])
        #expect(try greeting(dialect, first) == [])
    }

    @Test func `the floor learns the role from the first bytes`() throws {
        let dialect = Dialect(.bare)
        #expect([.subscriber, .publisher, first].map { dialect.path(of: $0) } == [nil, nil, nil])
        let bytes = try [.subscriber, .publisher, first].map { try dialect.greeting(of: $0, user: "") }
        #expect(bytes == [[Array("s".utf8)], [Array("p".utf8)], [Array("r17\n".utf8)]])
    }

    @Test func `the first member creates Belfry's channel and the others join it`() throws {
        #expect(try greeting(belfry, first)[0] == #"{"id":1,"connect":{"token":"token of ann"}}"#)
        let create = try greeting(belfry, first)[1]
        #expect(create.contains(#""method":"channel.create","data":{"id":"c17""#) && !create.contains("is_super"))
        #expect(try greeting(belfry, other)[1].contains(#""method":"channel.join","data":{"channel_id":"c17"}"#))
    }

    @Test func `members of the centrifuge library subscribe with its version 1 commands`() throws {
        let commands = try greeting(Dialect(.centrifuge), other)
        #expect(commands == [#"{"id":1,"params":{}}"#, #"{"id":2,"method":1,"params":{"channel":"c17"}}"#])
    }

    @Test(arguments: [0, 15, 300])
    func `texts have the wanted size everywhere, and at least a marker's`(bytes: Int) {
        let text = Marker.text(9) + String(repeating: "x", count: max(0, bytes - Marker.count))
        #expect(unmasked(Dialect(.plain).message(9, from: first, textBytes: bytes)) == text)
        #expect(Dialect(.bare).message(9, from: first, textBytes: bytes) == ClientFrame.unmasked(Array(text.utf8)))
        for (dialect, field) in [(belfry, #""channel_id":"c17""#), (Dialect(.centrifuge), #""channel":"c17""#)] {
            let command = unmasked(dialect.message(9, from: first, textBytes: bytes))
            #expect(command.contains(#""text":"\#(text)""#) && command.contains(field))
        }
    }
}
