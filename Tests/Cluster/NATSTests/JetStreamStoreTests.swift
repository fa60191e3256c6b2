#if Cluster
import Foundation
import LiveServers
import NATS
import Replication
import Testing

@Suite(.enabled(if: NATSServer.program != nil, "BELFRY_NATS_SERVER names no server"))
struct JetStreamStoreTests {
    private let server: NATSServer
    private let client: Client

    init() throws {
        server = try NATSServer()
        client = try Client([server])
    }

    private func entries(_ texts: [String], from number: UInt64 = 1) -> [LogEntry] {
        zip(number..., texts).map { LogEntry(number: $0, message: Array($1.utf8)) }
    }

    @Test func `an empty log has no messages`() async throws {
        let log = try await client.log()
        #expect(try await log.bounds() == .success(LogBounds(first: 1, last: 0)))
        #expect(try await log.read(from: 1) == .success([]))
    }

    @Test func `messages are appended one after the other`() async throws {
        let log = try await client.log()
        #expect(try await log.append("a", after: 0) == .stored(1))
        #expect(try await log.append("b", after: 1) == .stored(2))
        #expect(try await log.append("", after: 2, id: "empty") == .stored(3))
        #expect(try await log.bounds() == .success(LogBounds(first: 1, last: 3)))
        #expect(try await log.read(from: 1) == .success(entries(["a", "b", ""])))
        #expect(try await log.read(from: 3) == .success(entries([""], from: 3)))
        #expect(try await log.read(from: 4) == .success([]))
        #expect(try await log.read(from: 40) == .success([]))
    }

    @Test(arguments: [0, 1, 3] as [UInt64])
    func `an append that expects another last message conflicts`(last: UInt64) async throws {
        let log = try await client.log()
        #expect(try await log.append("a", after: 0) == .stored(1))
        #expect(try await log.append("b", after: 1) == .stored(2))
        #expect(try await log.append("c", after: last) == .conflict)
        #expect(try await log.bounds() == .success(LogBounds(first: 1, last: 2)))
    }

    @Test func `a repeated append is stored once`() async throws {
        let log = try await client.log()
        #expect(try await log.append("a", after: 0) == .stored(1))
        #expect(try await log.append("b", after: 1) == .stored(2))
        #expect(try await log.append("a", after: 0) == .stored(1))
        #expect(try await log.append("b", after: 1) == .stored(2))
        #expect(try await log.texts() == ["a", "b"])
    }

    @Test func `a read ends at its byte limit`() async throws {
        let log = try await client.log()
        let texts = (1...9).map { String(repeating: "\($0)", count: 100_000) }
        for (index, text) in texts.enumerated() {
            #expect(try await log.append(text, after: UInt64(index), id: "\(index)") == .stored(UInt64(index + 1)))
        }
        #expect(try await log.read(from: 1, bytes: 1).get().count == 1)
        #expect(try await log.read(from: 1, bytes: 250_000).get() == entries(Array(texts[..<3])))
        #expect(try await log.read(from: 4, bytes: 8 << 20).get() == entries(Array(texts[3...]), from: 4))
        #expect(try await log.texts() == texts)
    }

    @Test func `a trimmed log starts later and keeps its numbers`() async throws {
        let log = try await client.log()
        for last in 0..<5 as Range<UInt64> {
            #expect(try await log.append("\(last)", after: last) == .stored(last + 1))
        }
        try await log.trim(before: 4).get()
        #expect(try await log.bounds() == .success(LogBounds(first: 4, last: 5)))
        #expect(try await log.read(from: 3) == .failure(.dropped(first: 4)))
        #expect(try await log.read(from: 4) == .success(entries(["3", "4"], from: 4)))
        // Earlier and later numbers change nothing else.
        try await log.trim(before: 2).get()
        #expect(try await log.bounds() == .success(LogBounds(first: 4, last: 5)))
        try await log.trim(before: 100).get()
        #expect(try await log.bounds() == .success(LogBounds(first: 6, last: 5)))
        #expect(try await log.read(from: 5) == .failure(.dropped(first: 6)))
        #expect(try await log.read(from: 6) == .success([]))
        #expect(try await log.append("5", after: 5) == .stored(6))
    }

    @Test func `a log tells its size and limit, and the time of each message`() async throws {
        let log = try await client.log(byteLimit: 100_000)
        let before = Int64(Date().timeIntervalSince1970 * 1_000)
        for last in 0..<3 as Range<UInt64> {
            #expect(try await log.append("\(last)", after: last) == .stored(last + 1))
        }
        let usage = try await log.usage().get()
        #expect(usage.bounds == LogBounds(first: 1, last: 3))
        #expect(usage.byteLimit == 100_000 && (3...1_000).contains(usage.bytes))
        let second = try await log.examine(2).get()
        #expect(second?.entry == LogEntry(number: 2, message: Array("1".utf8)))
        let after = Int64(Date().timeIntervalSince1970 * 1_000)
        let time = try #require(second?.milliseconds)
        #expect((before - 1...after + 1).contains(time), "the server runs on this machine")
        #expect(try await log.examine(4).get() == nil)
        #expect(try await client.log("other").usage().get().byteLimit == nil)
    }

    @Test func `a follower receives new messages of any node`() async throws {
        let log = try await client.log()
        let other = try Client([server])
        let followed = try await other.log()
        let received = Received<LogEntry>()
        followed.follow { received.append($0) }
        // The subscription precedes this request.
        _ = try await followed.bounds()
        #expect(try await log.append("a", after: 0) == .stored(1))
        #expect(try await log.append("b", after: 1) == .stored(2))
        try await eventually { received.all.count == 2 }
        #expect(received.all == entries(["a", "b"]))
    }

    @Test func `a full log refuses messages until it is trimmed`() async throws {
        let log = try await client.log(byteLimit: 100_000)
        let text = String(repeating: "a", count: 60_000)
        #expect(try await log.append(text, after: 0, id: "1") == .stored(1))
        #expect(try await log.append(text, after: 1, id: "2") == .refused("maximum bytes exceeded"))
        try await log.trim(before: 2).get()
        #expect(try await log.append(text, after: 1, id: "2") == .stored(2))
    }

    @Test func `a message beyond the server's limit is refused`() async throws {
        let log = try await client.log()
        let text = String(repeating: "a", count: 2 << 20)
        #expect(try await log.append(text, after: 0, id: "1") == .refused("message too large"))
        #expect(try await log.append("a", after: 0) == .stored(1))
    }

    @Test func `requests fail after the connection is closed`() async throws {
        let log = try await client.log()
        client.connection.close()
        #expect(await log.appendOnce("a", after: 0) == .unknown)
        #expect(await result { log.read(from: 1, bytes: 1, $0) } == .failure(.unreachable))
        #expect(await log.boundsOnce() == .failure(.unreachable))
        #expect(client.state == .closed)
    }
}
#endif
