import Foundation
import Logging
import Synchronization
import Testing

@testable import Belfry

@Suite struct JSONLogTests {
    /// Returns the output of a logger for one message.
    private func logged(_ tell: (Logger) -> Void) throws -> String {
        let told = Mutex<[UInt8]>([])
        let logger = Logger(label: "test") { _ in
            JSONLogHandler(clock: { 1_795_352_400_007 }) { line in told.withLock { $0 += line } }
        }
        tell(logger)
        return try #require(String(bytes: told.withLock { $0 }, encoding: .utf8))
    }

    @Test func `a line starts with time, level and message, followed by metadata sorted by name`() throws {
        let line = try logged { $0.notice("listening", metadata: ["port": "8080", "host": "::1"]) }
        #expect(
            line == """
                {"time":"2026-11-22T13:00:00.007Z","level":"notice","message":"listening","host":"::1","port":"8080"}

                """)
    }

    @Test(arguments: ["\"", "\\", "\n", "\u{0}", "\u{1B}[2J", "ü", "\u{2028}", "👩‍👩‍👧"])
    func `any value is logged as one line of JSON and parses back`(_ value: String) throws {
        let line = try logged { $0.error("odd", metadata: ["a": "\(value)", value: ["x", .dictionary(["k": "v"])]]) }
        #expect(line.filter { $0.isNewline } == "\n" || value == "\u{2028}")
        #expect(line.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["a"] as? String == value)
        #expect((object[value] as? [Any])?.count == 2)
    }

    @Test func `metadata cannot replace time, level or message`() throws {
        let line = try logged { $0.info("true", metadata: ["message": "false", "level": "none", "time": "never"]) }
        #expect(line.hasSuffix(#""_level":"none","_message":"false","_time":"never"}"# + "\n"))
        #expect(line.contains(#""level":"info","message":"true""#))
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_999, "2000-02-29T00:00:00.999Z"),
            (-1, "1970-01-01T00:00:00.000Z"),
        ])
    func `times are RFC 3339 in UTC`(_ milliseconds: Int64, _ text: String) {
        #expect(JSONLogHandler.text(milliseconds: milliseconds) == text)
    }
}
