import Gateway
import TestSupport
import Testing

@testable import Replication

@Suite struct LogMessageTests {
    @Test(arguments: 1...200 as ClosedRange<UInt64>) func `a message is the same after coding`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let message = random.message()
            let bytes = message.encoded()
            #expect(bytes == message.encoded())
            #expect(try LogMessage(bytes) == message)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func `a cut or changed message is an error or another message`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        let message = random.message()
        let bytes = message.encoded()
        for count in bytes.indices {
            #expect((try? LogMessage(Array(bytes[..<count]))) != message, "cut to \(count) bytes")
        }
        for index in bytes.indices {
            for mask in [1, 0x80, UInt8(1 + random.below(255))] {
                var changed = bytes
                changed[index] ^= mask
                #expect((try? LogMessage(changed)) != message, "byte \(index) with \(mask)")
            }
        }
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>) func `random bytes are an error or a message`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 { _ = try? LogMessage(random.bytes(random.below(80))) }
    }

    @Test func `values that no writer produces are refused`() {
        let batch = LogMessage.Content.batch([frame(1)])
        #expect(error(.batch([])) == .invalid(field: "frames"))
        #expect(error(batch, term: 0) == .invalid(field: "term"))
        #expect(error(batch, term: 1 << 62) == nil)
        #expect(error(batch, term: 1 << 62 + 1) == .invalid(field: "term"))
        #expect(error(.genesis(cluster: cluster), term: 1) == .invalid(field: "term"))
        #expect(error(.genesis(cluster: ""), term: 0) == .invalid(field: "cluster"))
        #expect(error(.genesis(cluster: String(repeating: "c", count: 128)), term: 0) == nil)
        #expect(error(.genesis(cluster: String(repeating: "c", count: 129)), term: 0) == .invalid(field: "cluster"))
        #expect(error(batch, firstFrame: 0) == .invalid(field: "first_frame"))
        #expect(error(batch, firstFrame: .max) == .invalid(field: "first_frame"))
        #expect(error(.part(frame(1), index: 0, count: 1)) == .invalid(field: "part"))
        #expect(error(.part(frame(1), index: 2, count: 2)) == .invalid(field: "part"))
        #expect(error(.part(frame(1), index: 1, count: 2)) == nil)
        #expect(error(.part(frame(1), index: 255, count: 256)) == nil)
        #expect(error(.part(frame(1), index: 255, count: 257)) == .invalid(field: "part"))
        #expect(error(.part(frame(1, []), index: 0, count: 2)) == .invalid(field: "payload"))
        let refusal = [UInt8](repeating: 7, count: LogFrame.refusalLimit)
        #expect(error(.batch([frame(1, refusal: refusal)])) == nil)
        #expect(error(.batch([frame(1, refusal: refusal + [7])])) == .invalid(field: "refusal"))
        #expect(throws: LogMessageError.unknownKind) { try LogMessage([]) }
        #expect(throws: LogMessageError.malformed) { try LogMessage([0xFF]) }
        let large = [UInt8](repeating: 0, count: LogMessage.sizeLimit + 1)
        #expect(throws: LogMessageError.tooLarge(bytes: large.count)) { try LogMessage(large) }
    }

    private func error(_ content: LogMessage.Content, term: UInt64 = 1, firstFrame: UInt64 = 1) -> LogMessageError? {
        let message = LogMessage(
            term: term, writer: ann, firstFrame: firstFrame, previous: .none, recordVersion: 4, content: content)
        do {
            let decoded = try LogMessage(message.encoded())
            #expect(decoded == message)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the last frame of a log follows from its last message`() {
        func last(_ content: LogMessage.Content, term: UInt64 = 1) -> UInt64 {
            LogMessage(
                term: term, writer: ann, firstFrame: 7, previous: .none, recordVersion: 4, content: content
            ).lastFrame
        }
        #expect(last(.genesis(cluster: cluster), term: 0) == 6 && last(.termStart) == 6)
        #expect(last(.batch([frame(1), frame(2)])) == 8)
        // A frame without records has no number.
        #expect(last(.batch([frame(1), frame(2, [])])) == 7 && last(.batch([frame(1, [])])) == 6)
        // The frame is complete with its last part.
        #expect(last(.part(frame(1), index: 0, count: 2)) == 6 && last(.part(frame(1), index: 1, count: 2)) == 7)
        #expect(LogMessage.genesis(cluster: cluster, by: ann, after: 7).lastFrame == 7)
    }

    @Test func `a name of a node has a bounded length`() {
        #expect(NodeID(name: "", start: 1) == nil)
        #expect(NodeID(name: String(repeating: "n", count: 64), start: 1) != nil)
        #expect(NodeID(name: String(repeating: "n", count: 65), start: 1) == nil)
    }

    /// SHA-256 of the empty text, FIPS 180-4's example.
    @Test func `a digest is the beginning of the SHA-256`() {
        #expect(LogDigest(of: []).description == "e3b0c44298fc1c149afbf4c8996fb924")
    }
}
