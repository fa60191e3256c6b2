/// Reads a cluster's log in order and checks it.
///
/// The live feed may lose, repeat and reorder messages. The reader ignores messages that it cannot use yet, reports what to
/// read from the store, and returns each frame once. Its memory is bounded by the largest frame.
///
/// After an error, every call throws that error again: the log belongs to another cluster or is damaged, and frames from it
/// must not be applied.
package struct LogReader: Sendable {
    package enum Step: Equatable, Sendable {
        /// A term began.
        case term(LogTerm)
        case frame(NumberedFrame, recordVersion: UInt32)
        /// The last frame that the node had before, unless it travelled in parts. The node must have the same frame, because
        /// its data may belong to another chat.
        case known(NumberedFrame)
        /// Messages are missing. Read the store from this number on.
        case needs(from: UInt64)
    }

    private let cluster: String
    /// The number of the next message.
    package private(set) var next: UInt64
    /// The last frame that the reader returned or that the node had before.
    package private(set) var lastFrame: UInt64
    /// The term that the log is in; `nil` before the first message. The genesis has term 0.
    package private(set) var term: LogTerm?
    /// The newest record version of the messages read so far; 0 before the first.
    package private(set) var recordVersion: UInt32 = 0
    /// The digest of the message before `next`.
    private var digest: LogDigest?
    /// The number of the next frame in the log; not greater than `lastFrame` while the node already has it.
    private var nextFrame: UInt64?
    private var parts: JoinedParts?
    /// The greatest message number known to exist.
    private var newest: UInt64 = 0
    private var failure: LogStreamError?

    /// - Parameters:
    ///   - next: The number of the first message to read: 1, or any whose first frame is not after the node's last frame
    ///     by more than one. It must not be in the middle of a frame that the node needs.
    ///   - digest: The digest of the message before it. Without it, the first message is trusted.
    ///   - lastFrame: The last frame that the node already has.
    package init(cluster: String, next: UInt64 = 1, digest: LogDigest? = nil, lastFrame: UInt64) {
        self.cluster = cluster
        self.next = max(1, next)
        self.digest = next <= 1 ? LogDigest.none : digest
        self.lastFrame = lastFrame
    }

    /// The number to read the store from; `nil` if no message is known to be missing.
    package var missing: UInt64? { newest >= next && failure == nil ? next : nil }

    /// Records that the log has messages up to a number, for example because the writer said so.
    package mutating func expect(upTo number: UInt64) { newest = max(newest, number) }

    /// Where a new writer continues the log; `nil` before the first message, after an error, and as long as the log has
    /// fewer frames than this node.
    package var end: LogEnd? {
        guard failure == nil, let term, let digest, let nextFrame, nextFrame == lastFrame + 1 else { return nil }
        return LogEnd(number: next - 1, digest: digest, lastFrame: lastFrame, term: term.number)
    }

    /// Reads a message from the store or from the live feed.
    package mutating func receive(_ entry: LogEntry) throws(LogStreamError) -> [Step] {
        if let failure { throw failure }
        expect(upTo: entry.number)
        guard entry.number == next else { return entry.number > next ? [.needs(from: next)] : [] }
        do {
            return try read(entry)
        } catch {
            failure = error
            parts = nil
            throw error
        }
    }

    private mutating func read(_ entry: LogEntry) throws(LogStreamError) -> [Step] {
        let message: LogMessage
        do {
            message = try LogMessage(entry.message)
        } catch {
            throw .malformed(number: entry.number, error)
        }
        try check(message)
        let steps = try apply(message)
        digest = LogDigest(of: entry.message)
        next += 1
        return steps
    }

    private func check(_ message: LogMessage) throws(LogStreamError) {
        if case .genesis(let cluster) = message.content, cluster != self.cluster { throw .otherCluster(cluster) }
        guard (message.term == 0) == (next == 1) else { throw .misplacedGenesis(number: next) }
        if let digest, message.previous != digest { throw .brokenChain(number: next) }
        guard nextFrame == nil || message.firstFrame == nextFrame else {
            throw .wrongFrame(number: next, frame: message.firstFrame)
        }
        guard message.firstFrame <= lastFrame + 1 else { throw .missingFrames(first: message.firstFrame) }
        // The log begins in the middle of a frame.
        guard nextFrame != nil || message.follows(lastFrame) else { throw .missingFrames(first: message.firstFrame) }
    }

    private mutating func apply(_ message: LogMessage) throws(LogStreamError) -> [Step] {
        nextFrame = message.firstFrame
        recordVersion = max(recordVersion, message.recordVersion)
        var steps = try enterTerm(of: message)
        switch message.content {
        case .genesis, .termStart: break
        case .batch(let frames):
            guard parts == nil else { throw .wrongPart(number: next) }
            for frame in frames {
                if frame.isNumbered, nextFrame == lastFrame {
                    steps.append(.known(NumberedFrame(number: lastFrame, frame: frame)))
                }
                finish(frame, message, &steps)
            }
        case .part(let part, let index, let count):
            if let frame = try join(part, index, count) { finish(frame, message, &steps) }
        }
        return steps
    }

    private mutating func enterTerm(of message: LogMessage) throws(LogStreamError) -> [Step] {
        let entered = LogTerm(number: message.term, writer: message.writer)
        if case .genesis = message.content {
            term = entered
            return []
        }
        if case .termStart = message.content {
            guard term == nil || term?.number == entered.number - 1 else { throw .wrongTerm(number: next) }
            // The previous writer did not store the last part, so the frame never took effect.
            parts = nil
        } else if term != nil {
            guard term == entered else { throw .wrongTerm(number: next) }
            return []
        }
        term = entered
        return [.term(entered)]
    }

    /// - Returns: The whole frame after its last part.
    private mutating func join(_ part: LogFrame, _ index: Int, _ count: Int) throws(LogStreamError) -> LogFrame? {
        let isLast = index == count - 1
        // A frame that the node already has is not joined, and reading may have begun after its first parts.
        guard nextFrame == lastFrame + 1 else { return isLast ? part : nil }
        if index == 0, parts == nil {
            parts = JoinedParts(frame: part, received: 1, count: count)
        } else {
            guard parts?.append(part, index, count) == true else { throw .wrongPart(number: next) }
        }
        guard isLast else { return nil }
        defer { parts = nil }
        return parts?.frame
    }

    private mutating func finish(_ frame: LogFrame, _ message: LogMessage, _ steps: inout [Step]) {
        let isNew = nextFrame == lastFrame + 1
        if frame.isNumbered {
            nextFrame = nextFrame.map { $0 + 1 }
            if isNew { lastFrame += 1 }
        }
        guard isNew else { return }
        steps.append(
            .frame(NumberedFrame(number: lastFrame, frame: frame), recordVersion: message.recordVersion))
    }
}

/// The end of a log, where a new writer continues it.
package struct LogEnd: Equatable, Sendable {
    /// The number of the last message, and its digest.
    package let number: UInt64
    package let digest: LogDigest
    package let lastFrame: UInt64
    package let term: UInt64

    package init(number: UInt64, digest: LogDigest, lastFrame: UInt64, term: UInt64) {
        self.number = number
        self.digest = digest
        self.lastFrame = lastFrame
        self.term = term
    }
}

/// The parts of a large frame, joined as they come.
private struct JoinedParts {
    var frame: LogFrame
    var received: Int
    let count: Int

    /// - Returns: False if this is not the next part of the frame.
    mutating func append(_ part: LogFrame, _ index: Int, _ count: Int) -> Bool {
        guard index == received, count == self.count, part.tag == frame.tag else { return false }
        guard frame.payload.count + part.payload.count <= LogFrame.payloadLimit else { return false }
        frame.payload += part.payload
        received += 1
        return true
    }
}
