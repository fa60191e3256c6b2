import Gateway
import TestSupport
import Testing

@testable import Replication

@Suite struct LogReaderTests {
    /// Returns a log with several terms and frames of all sizes.
    static func makeLog(_ random: inout SeededGenerator, firstFrame: UInt64 = 1) -> WrittenLog {
        var log = WrittenLog(firstFrame: firstFrame)
        var serial: UInt64 = 0
        for writer in [ann, bob, ann, node("cid")] {
            let frames = (0..<random.below(12)).map { _ in
                serial += 1
                return random.frame(serial)
            }
            log.append(frames, by: writer, messages: random.chance(3) ? 1 + random.below(5) : .max)
        }
        return log
    }

    /// Reads everything, in any order that a feed and a store may give it.
    private static func read(
        _ entries: [LogEntry], into reader: inout LogReader, _ random: inout SeededGenerator
    ) throws -> [LogReader.Step] {
        var steps: [LogReader.Step] = []
        // The feed loses some, repeats some and shuffles neighbours.
        var feed = entries.flatMap { entry in Array(repeating: entry, count: random.pick([0, 1, 1, 1, 2])) }
        for index in feed.indices.dropLast() where random.chance(4) { feed.swapAt(index, index + 1) }
        for entry in feed {
            let result = try reader.receive(entry)
            #expect(result.filter { $0 == .needs(from: reader.next) }.count == (entry.number > reader.next ? 1 : 0))
            steps += result
            guard let missing = reader.missing, random.chance(3) else { continue }
            for entry in entries.dropFirst(Int(missing) - 1).prefix(1 + random.below(4)) {
                steps += try reader.receive(entry)
            }
        }
        reader.expect(upTo: UInt64(entries.count))
        while let missing = reader.missing { steps += try reader.receive(entries[Int(missing) - 1]) }
        return steps
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `whatever the feed loses, repeats and shuffles, each frame comes once and in order`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let log = Self.makeLog(&random, firstFrame: random.pick([1, 100]))
        var reader = LogReader(cluster: cluster, lastFrame: log.firstFrame - 1)
        let steps = try Self.read(log.entries, into: &reader, &random)
        #expect(steps.compactMap(\.frame) == log.committed)
        let terms = steps.compactMap(\.term)
        #expect(terms.map(\.number) == Array(1...4))
        #expect(terms.map(\.writer) == [ann, bob, ann, node("cid")])
        #expect(reader.end == log.end)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `a restarted node continues after its last frame`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let log = Self.makeLog(&random)
        let messages = try log.entries.map { try LogMessage($0.message) }
        guard let last = log.committed.last?.number else { return }
        let lastFrame = UInt64(random.below(Int(last) + 1))
        // Any message to begin with that is not after the frame, and not in the middle of it.
        let starts = messages.indices.filter { index in
            if case .part(_, let part, _) = messages[index].content, part > 0 { return false }
            return messages[index].firstFrame <= lastFrame + 1
        }
        let start = random.pick(starts)
        let digest = start > 0 && random.chance(2) ? LogDigest(of: log.entries[start - 1].message) : nil
        var reader = LogReader(cluster: cluster, next: UInt64(start) + 1, digest: digest, lastFrame: lastFrame)
        let steps = try log.entries[start...].flatMap { try reader.receive($0) }
        let frames = steps.compactMap(\.frame).filter(\.frame.isNumbered)
        #expect(frames == log.committed.filter { $0.frame.isNumbered && $0.number > lastFrame })
        #expect(reader.end == log.end)
        if start > 0 { #expect(steps.first?.term != nil) }
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `a changed, removed or exchanged message stops the reader before its frames`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let log = Self.makeLog(&random)
        var messages = log.entries.map(\.message)
        // The last message's digest is nowhere yet.
        let index = random.below(messages.count - 1)
        switch random.below(3) {
        case 0: messages[index][random.below(messages[index].count)] ^= UInt8(1 + random.below(255))
        case 1: messages.remove(at: index)
        default: messages.swapAt(index, index + 1)
        }
        var reader = LogReader(cluster: cluster, lastFrame: 0)
        var frames: [NumberedFrame] = []
        var failure: LogStreamError?
        for (index, message) in messages.enumerated() {
            let entry = LogEntry(number: UInt64(index) + 1, message: message)
            do {
                let steps = try reader.receive(entry)
                #expect(failure == nil)
                frames += steps.compactMap(\.frame).filter(\.frame.isNumbered)
            } catch {
                #expect(failure == nil || failure == error)
                failure = error
            }
        }
        #expect(failure != nil)
        #expect(reader.end == nil)
        #expect(reader.missing == nil)
        // A message whose frames were changed in place may pass itself, but nothing after it.
        let firstFrame = try LogMessage(log.entries[index].message).firstFrame
        let intact = log.committed.filter { $0.frame.isNumbered && $0.number < firstFrame }
        #expect(Array(frames.prefix(intact.count)) == intact)
    }

    @Test func `the log of another cluster is refused`() {
        let log = WrittenLog()
        var reader = LogReader(cluster: "general.2", lastFrame: 0)
        #expect(throws: LogStreamError.otherCluster(cluster)) { try reader.receive(log.entries[0]) }
        #expect(throws: LogStreamError.otherCluster(cluster)) { try reader.receive(log.entries[0]) }
    }

    @Test func `a log must begin with a genesis, and has only one`() throws {
        let genesis = WrittenLog().entries[0].message
        var reader = LogReader(cluster: cluster, lastFrame: 0)
        _ = try reader.receive(LogEntry(number: 1, message: genesis))
        #expect(throws: LogStreamError.misplacedGenesis(number: 2)) {
            try reader.receive(LogEntry(number: 2, message: genesis))
        }
        reader = LogReader(cluster: cluster, lastFrame: 0)
        var log = WrittenLog()
        log.append([])
        #expect(throws: LogStreamError.misplacedGenesis(number: 1)) {
            try reader.receive(LogEntry(number: 1, message: log.entries[1].message))
        }
    }

    /// Feeds messages after the genesis; each is given its predecessor's digest.
    private func feed(_ messages: [(UInt64, NodeID, UInt64, LogMessage.Content)]) throws -> [LogReader.Step] {
        var entry = WrittenLog().entries[0]
        var reader = LogReader(cluster: cluster, lastFrame: 0)
        var steps = try reader.receive(entry)
        for (term, writer, first, content) in messages {
            let message = LogMessage(
                term: term, writer: writer, firstFrame: first, previous: LogDigest(of: entry.message), recordVersion: 4,
                content: content)
            entry = LogEntry(number: entry.number + 1, message: message.encoded())
            steps += try reader.receive(entry)
        }
        return steps
    }

    @Test func `a term follows the one before, and only its writer appends to it`() throws {
        let batch = LogMessage.Content.batch([frame(1)])
        #expect(try feed([(1, ann, 1, .termStart), (1, ann, 1, batch)]).count == 2)
        #expect(try feed([(1, ann, 1, .termStart), (2, bob, 1, .termStart), (2, bob, 1, batch)]).count == 3)
        for (term, writer) in [(1, bob), (2, ann), (2, bob), (1, node("ann", start: 2))] as [(UInt64, NodeID)] {
            #expect(throws: LogStreamError.wrongTerm(number: 3)) {
                try feed([(1, ann, 1, .termStart), (term, writer, 1, batch)])
            }
        }
        for term in [1, 3] as [UInt64] {
            #expect(throws: LogStreamError.wrongTerm(number: 3)) {
                try feed([(1, ann, 1, .termStart), (term, bob, 1, .termStart)])
            }
        }
        #expect(throws: LogStreamError.wrongTerm(number: 4)) {
            try feed([(1, ann, 1, .termStart), (2, bob, 1, .termStart), (1, ann, 1, batch)])
        }
    }

    @Test func `frame numbers have no gap, and frames without records have none`() throws {
        let batch = LogMessage.Content.batch([frame(1, []), frame(2), frame(3, refusal: [9]), frame(4, [])])
        let steps = try feed([(1, ann, 1, .termStart), (1, ann, 1, batch), (1, ann, 3, batch)])
        #expect(steps.compactMap(\.frame).map(\.number) == [0, 1, 2, 2, 2, 3, 4, 4])
        for first in [2, 4] as [UInt64] {
            #expect(throws: LogStreamError.wrongFrame(number: 4, frame: first)) {
                try feed([(1, ann, 1, .termStart), (1, ann, 1, batch), (1, ann, first, batch)])
            }
        }
    }

    @Test func `a log that begins after the node's last frame is refused`() throws {
        let log = WrittenLog(firstFrame: 7)
        var reader = LogReader(cluster: cluster, lastFrame: 5)
        #expect(throws: LogStreamError.missingFrames(first: 7)) { try reader.receive(log.entries[0]) }
        reader = LogReader(cluster: cluster, lastFrame: 6)
        #expect(try reader.receive(log.entries[0]) == [])
        #expect(reader.end?.lastFrame == 6)
    }

    @Test func `a log that begins in the middle of a frame is read by nodes that have it, and refused by others`()
        throws
    {
        var log = WrittenLog()
        log.append([frame(1, [UInt8](repeating: 1, count: 3_000)), frame(2)])
        // The genesis, the start of the term, and the first part.
        let rest = log.entries.dropFirst(3)
        guard case .part(_, index: 1, _) = try LogMessage(rest[3].message).content else {
            Issue.record("not in the middle of a frame")
            return
        }
        var reader = LogReader(cluster: cluster, next: 4, lastFrame: 0)
        #expect(throws: LogStreamError.missingFrames(first: 1)) { try reader.receive(rest[3]) }
        reader = LogReader(cluster: cluster, next: 4, lastFrame: 1)
        let frames = try rest.flatMap { try reader.receive($0) }.compactMap(\.frame)
        #expect(frames == [NumberedFrame(number: 2, frame: frame(2))])
        #expect(reader.end == log.end)
        let first = try LogMessage(rest[3].message)
        #expect([0, 1, 2].map { first.follows($0) } == [false, true, true])
        let whole = try LogMessage(log.entries[0].message)
        #expect([0, 1].map { whole.follows($0) } == [true, true])
    }

    @Test func `the last frame that the node had is shown once, so that the node can compare it`() throws {
        var log = WrittenLog()
        log.append([frame(1), frame(2, [7]), frame(3, []), frame(4), frame(5, [UInt8](repeating: 1, count: 3_000))])
        for last in 0...4 as ClosedRange<UInt64> {
            var reader = LogReader(cluster: cluster, lastFrame: last)
            let steps = try log.entries.flatMap { try reader.receive($0) }
            let known = steps.compactMap { if case .known(let frame) = $0 { frame } else { nil } }
            // The last one travelled in parts.
            let numbered = log.committed.filter(\.frame.isNumbered)
            #expect(known == (1...3 ~= last ? [numbered[Int(last) - 1]] : []))
        }
    }

    @Test func `a node with more frames than the log does not continue it`() throws {
        var log = WrittenLog()
        log.append([frame(1), frame(2)])
        var reader = LogReader(cluster: cluster, lastFrame: 3)
        for entry in log.entries { #expect(try reader.receive(entry).allSatisfy { $0.frame == nil }) }
        #expect(reader.end == nil)
        log.append([frame(3), frame(4)])
        var frames: [NumberedFrame] = []
        for entry in log.entries.dropFirst(3) { frames += try reader.receive(entry).compactMap(\.frame) }
        #expect(frames == [NumberedFrame(number: 4, frame: frame(4))])
        #expect(reader.end == log.end)
    }

    @Test func `the parts of a frame are in order, and another term drops them`() throws {
        func part(_ byte: UInt8, _ index: Int, of count: Int = 3, serial: UInt64 = 1) -> LogMessage.Content {
            .part(frame(serial, [byte]), index: index, count: count)
        }
        let start: (UInt64, NodeID, UInt64, LogMessage.Content) = (1, ann, 1, .termStart)
        let whole = try feed([start, (1, ann, 1, part(1, 0)), (1, ann, 1, part(2, 1)), (1, ann, 1, part(3, 2))])
        #expect(whole.compactMap(\.frame) == [NumberedFrame(number: 1, frame: frame(1, [1, 2, 3]))])
        let wrong = [
            part(2, 0), part(2, 2), part(2, 1, of: 4), part(2, 1, serial: 2), .batch([frame(2)]),
        ]
        for content in wrong {
            #expect(throws: LogStreamError.wrongPart(number: 4)) {
                try feed([start, (1, ann, 1, part(1, 0)), (1, ann, 1, content)])
            }
        }
        #expect(throws: LogStreamError.wrongPart(number: 3)) { try feed([start, (1, ann, 1, part(1, 1))]) }
        let dropped = try feed([
            start, (1, ann, 1, part(1, 0)), (2, bob, 1, .termStart), (2, bob, 1, .batch([frame(5)])),
        ])
        #expect(dropped.compactMap(\.frame) == [NumberedFrame(number: 1, frame: frame(5))])
    }

    @Test func `a frame that grows beyond the limit is refused, so that a reader's memory is bounded`() {
        let size = 500_000
        let payload = [UInt8](repeating: 7, count: size)
        let fitting = LogFrame.payloadLimit / size
        let parts = (0...fitting).map { index -> (UInt64, NodeID, UInt64, LogMessage.Content) in
            (1, ann, 1, .part(frame(1, payload), index: index, count: 256))
        }
        // After the genesis and the start of the term, the first part is message 3.
        #expect(throws: LogStreamError.wrongPart(number: UInt64(3 + fitting))) {
            try feed([(1, ann, 1, .termStart)] + parts)
        }
    }
}
