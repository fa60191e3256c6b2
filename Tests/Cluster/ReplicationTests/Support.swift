import ChatModel
import Gateway
import TestSupport

@testable import Replication

let ann = node("ann")
let bob = node("bob")
let cluster = "general.1"

func node(_ name: String, start: UInt64 = 1) -> NodeID {
    guard let node = NodeID(name: name, start: start) else { preconditionFailure("a name of a node") }
    return node
}

func frame(_ serial: UInt64, _ payload: [UInt8] = [1, 2, 3], by origin: NodeID = ann, refusal: [UInt8]? = nil)
    -> LogFrame
{
    LogFrame(
        LogFrame.Tag(origin: origin, serial: serial, id: MessageID(high: serial, low: ~serial), refusal: refusal),
        payload: payload)
}

extension SeededGenerator {
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

    /// Returns a frame: with and without records, with and without refusal, sometimes larger than a small message.
    mutating func frame(_ serial: UInt64) -> LogFrame {
        let size = pick([0, 1, 20, 20, 20, 100, 100, 900, 3_000])
        return ReplicationTests.frame(serial, bytes(size), refusal: chance(5) ? bytes(below(20)) : nil)
    }

    mutating func number() -> UInt64 { chance(3) ? LogMessage.numberLimit : 1 + next() >> UInt64(2 + below(60)) }

    mutating func message() -> LogMessage {
        let content: LogMessage.Content =
            switch below(4) {
            case 0: .genesis(cluster: cluster)
            case 1: .termStart
            case 2: .batch((0...below(4)).map { _ in frame(next() >> 2) })
            default:
                .part(ReplicationTests.frame(next() >> 2, bytes(1 + below(50))), index: below(2), count: 2 + below(255))
            }
        let isGenesis = content == .genesis(cluster: cluster)
        return LogMessage(
            term: isGenesis ? 0 : number(), writer: node(String(repeating: "n", count: 1 + below(64)), start: next()),
            firstFrame: number(), previous: LogDigest(high: next(), low: next()),
            recordVersion: UInt32(below(1_000)), content: content)
    }
}

/// A log that appends what the queue asks for, without faults.
struct WrittenLog {
    private(set) var entries: [LogEntry]
    private(set) var end: LogEnd
    private(set) var committed: [NumberedFrame] = []
    let firstFrame: UInt64

    init(firstFrame: UInt64 = 1) {
        self.firstFrame = firstFrame
        let genesis = LogMessage.genesis(cluster: cluster, by: ann, firstFrame: firstFrame, recordVersion: 4).encoded()
        entries = [LogEntry(number: 1, message: genesis)]
        end = LogEnd(number: 1, digest: LogDigest(of: genesis), lastFrame: firstFrame - 1, term: 0)
    }

    var next: UInt64 { UInt64(entries.count) + 1 }

    /// Appends a term of a writer with frames, in one batch unless they are large.
    ///
    /// - Parameter limit: The number of messages after which the writer dies.
    mutating func append(
        _ frames: [LogFrame], by writer: NodeID = ann, sizeLimit: Int = 1_000, messages limit: Int = .max,
        recordVersion: UInt32 = 4
    ) {
        var queue = AppendQueue(
            cluster: cluster, writer: writer, after: end, recordVersion: recordVersion, sizeLimit: sizeLimit)
        for frame in frames { queue.append(frame, at: 0) }
        var count = 0
        while count < limit, case .append(let message, _, _)? = queue.next(at: 0) {
            guard case .stored(let entry, let done) = queue.appended(.stored(next), at: 0) else { return }
            entries.append(LogEntry(number: next, message: message))
            committed += done
            end = LogEnd(
                number: entry.number, digest: LogDigest(of: message), lastFrame: done.last?.number ?? end.lastFrame,
                term: (try? LogMessage(message).term) ?? 0)
            count += 1
        }
    }
}

extension LogReader.Step {
    var frame: NumberedFrame? {
        if case .frame(let frame, _) = self { frame } else { nil }
    }

    var term: LogTerm? {
        if case .term(let term) = self { term } else { nil }
    }
}
