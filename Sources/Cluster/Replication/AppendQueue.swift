import DequeModule
import Gateway

/// A writer's frames on their way into the log.
///
/// Frames that wait are joined into messages. One append is in flight at a time, because the store checks the expected
/// number only when an append arrives. The first message starts the term; if another node's message takes its place or that
/// of a later one, the term is lost.
///
/// The owner performs the request that `next` returns and reports its result. Times are milliseconds of a clock that never
/// goes back.
package struct AppendQueue: Sendable {
    package enum Request: Equatable, Sendable {
        case append([UInt8], expecting: UInt64, id: String)
        /// Read this message, to find out whether it is the one that was appended.
        case read(number: UInt64)
    }

    package enum Progress: Equatable, Sendable {
        /// Nothing is decided yet. `next` returns the next request, perhaps later.
        case waiting
        /// A message is stored, and with it these frames are committed. None if it started the term or was not the last
        /// part of a frame.
        case stored(LogEntry, [NumberedFrame])
        /// Another node's message is in the log instead. Nothing that still waits will be stored.
        case lost
    }

    private struct Waiting {
        let frame: LogFrame
        let since: Int64
    }

    private struct Flight {
        let number: UInt64
        let since: Int64
        let message: [UInt8]
        let digest: LogDigest
        let id: String
        /// The number of frames from `waiting` that the message completes.
        let completed: Int
        /// The value of `storedParts` once the message is stored.
        let storedParts: Int
        var stage: Stage
    }

    private enum Stage {
        /// The request was returned, and its result is not known.
        case requested
        case append(at: Int64)
        case read(at: Int64)
    }

    private let cluster: String
    private let term: LogTerm
    /// The version that the next messages name: no frame in them is of a newer one.
    private var recordVersion: UInt32
    private let sizeLimit: Int
    /// The last stored message.
    private var end: LogEnd
    private var waiting: Deque<Waiting> = []
    /// The number of stored parts of the first waiting frame.
    private var storedParts = 0
    private var flight: Flight?
    private var isStarted = false
    package private(set) var isLost = false
    /// When the last stored message was made; `nil` before the first.
    package private(set) var confirmed: Int64?
    /// The size of the waiting payloads in bytes.
    package private(set) var bytes = 0

    /// Refuse new changes, with 1040, while the oldest frame has waited longer than this many milliseconds.
    package static let refusalAge: Int64 = 2_000
    /// Answer frames that have waited longer than this many milliseconds with 1041: their outcome is unknown.
    package static let answerAge: Int64 = 20_000
    /// The pause before an append or a read with an unknown outcome is repeated, in milliseconds.
    static let retryDelay: Int64 = 100
    /// The pause after the store refused a message, in milliseconds.
    static let refusedDelay: Int64 = 500

    /// Begins with the start of a term after the end of the log.
    ///
    /// - Parameter sizeLimit: The greatest size of a message; smaller in tests.
    package init(
        cluster: String, writer: NodeID, after end: LogEnd, recordVersion: UInt32,
        sizeLimit: Int = LogMessage.sizeLimit
    ) {
        self.cluster = cluster
        term = LogTerm(number: end.term + 1, writer: writer)
        self.end = end
        self.recordVersion = recordVersion
        self.sizeLimit = sizeLimit
    }

    /// The frames appended from now on may be of this record version, if it is newer than before.
    package mutating func raise(recordVersion version: UInt32) { recordVersion = max(recordVersion, version) }

    // MARK: Frames

    /// Adds a frame, which must fit. Frames are stored in this order.
    package mutating func append(_ frame: LogFrame, at now: Int64) {
        precondition(frame.fits)
        waiting.append(Waiting(frame: frame, since: now))
        bytes += frame.payload.count
    }

    /// Whether all frames are stored.
    package var isEmpty: Bool { waiting.isEmpty }

    /// Whether a message may be in the log without this node knowing.
    package var isUnderWay: Bool { flight != nil }

    /// The number of that message; `nil` if there is none.
    package var numberUnderWay: UInt64? { flight?.number }

    /// How long the oldest frame has waited, in milliseconds; 0 if none waits.
    package func oldestAge(at now: Int64) -> Int64 { waiting.first.map { now - $0.since } ?? 0 }

    /// The number of frames, from the oldest on, that have waited longer than this many milliseconds.
    package func count(olderThan age: Int64, at now: Int64) -> Int {
        waiting.prefix { now - $0.since > age }.count
    }

    // MARK: Requests

    /// Returns the next request, once; `nil` while one is under way or a pause lasts, and if there is nothing to do.
    package mutating func next(at now: Int64) -> Request? {
        guard !isLost else { return nil }
        if flight == nil { flight = makeFlight(at: now) }
        guard let flight else { return nil }
        switch flight.stage {
        case .append(let due) where now >= due:
            self.flight?.stage = .requested
            return .append(flight.message, expecting: flight.number - 1, id: flight.id)
        case .read(let due) where now >= due:
            self.flight?.stage = .requested
            return .read(number: flight.number)
        case .requested, .append, .read: return nil
        }
    }

    /// When `next` will return a request again; `nil` if not before something else happens.
    package var nextRequest: Int64? {
        switch flight?.stage {
        case .append(let due), .read(let due): isLost ? nil : due
        case .requested, nil: nil
        }
    }

    /// Receives the outcome of an append.
    package mutating func appended(_ outcome: AppendOutcome, at now: Int64) -> Progress {
        switch outcome {
        case .stored(let number) where number == flight?.number: return complete()
        // A number that was not expected means that the store and this node disagree, which the message itself decides.
        case .stored, .conflict: flight?.stage = .read(at: now)
        case .refused: flight?.stage = .append(at: now + Self.refusedDelay)
        case .unknown: flight?.stage = .append(at: now + Self.retryDelay)
        }
        return .waiting
    }

    /// Receives a message of the log that came another way. It may be the one under way, whose reply is late or lost.
    package mutating func saw(_ entry: LogEntry) -> Progress {
        guard entry.number == flight?.number, entry.message == flight?.message else { return .waiting }
        return complete()
    }

    /// Receives the result of a read.
    package mutating func read(_ result: Result<[LogEntry], LogStoreError>, at now: Int64) -> Progress {
        switch result {
        case .success(let entries):
            guard let entry = entries.first(where: { $0.number == flight?.number }) else {
                // What caused the conflict never got into the log, or the store answered from a copy that is behind.
                flight?.stage = .append(at: now + Self.retryDelay)
                return .waiting
            }
            return entry.message == flight?.message ? complete() : lose()
        // The store has already trimmed the message: this node was stopped for too long.
        case .failure(.dropped): return lose()
        case .failure:
            flight?.stage = .read(at: now + Self.retryDelay)
            return .waiting
        }
    }

    private mutating func lose() -> Progress {
        isLost = true
        return .lost
    }

    private mutating func complete() -> Progress {
        guard let flight else { return .waiting }
        self.flight = nil
        isStarted = true
        confirmed = flight.since
        storedParts = flight.storedParts
        var lastFrame = end.lastFrame
        var committed: [NumberedFrame] = []
        committed.reserveCapacity(flight.completed)
        for _ in 0..<flight.completed {
            let frame = waiting.removeFirst().frame
            bytes -= frame.payload.count
            if frame.isNumbered { lastFrame += 1 }
            committed.append(NumberedFrame(number: lastFrame, frame: frame))
        }
        end = LogEnd(
            number: flight.number, digest: flight.digest, lastFrame: lastFrame, term: term.number)
        return .stored(LogEntry(number: flight.number, message: flight.message), committed)
    }

    // MARK: Messages

    private func makeFlight(at now: Int64) -> Flight? {
        guard isStarted else { return makeFlight(.termStart, completed: 0, at: now) }
        guard let first = waiting.first?.frame else { return nil }
        let room = sizeLimit - LogMessage.overhead(writer: term.writer)
        guard first.encodedLimit <= room else { return makePart(of: first, room - first.overhead, at: now) }
        var frames: [LogFrame] = []
        var free = room
        for frame in waiting.lazy.map(\.frame) {
            guard frame.encodedLimit <= free else { break }
            free -= frame.encodedLimit
            frames.append(frame)
        }
        return makeFlight(.batch(frames), completed: frames.count, at: now)
    }

    /// - Parameter size: The size of each part but the last, in bytes of the payload.
    private func makePart(of frame: LogFrame, _ size: Int, at now: Int64) -> Flight {
        precondition(size > 0)
        let count = (frame.payload.count + size - 1) / size
        let index = storedParts
        let bytes = frame.payload[(index * size)..<min(frame.payload.count, (index + 1) * size)]
        let isLast = index == count - 1
        return makeFlight(
            .part(LogFrame(frame.tag, payload: Array(bytes)), index: index, count: count),
            completed: isLast ? 1 : 0, storedParts: isLast ? 0 : index + 1, at: now)
    }

    private func makeFlight(
        _ content: LogMessage.Content, completed: Int, storedParts: Int = 0, at now: Int64
    ) -> Flight {
        let message = LogMessage(
            term: term.number, writer: term.writer, firstFrame: end.lastFrame + 1, previous: end.digest,
            recordVersion: recordVersion, content: content
        ).encoded()
        // With the digest, only identical messages have the same id. Otherwise the store would take the term of one candidate
        // for a repetition of the other's.
        let digest = LogDigest(of: message)
        return Flight(
            number: end.number + 1, since: now, message: message, digest: digest,
            id: "\(cluster).\(term.number).\(end.number).\(digest)", completed: completed,
            storedParts: storedParts, stage: .append(at: now))
    }
}
