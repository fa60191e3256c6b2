import ChatDomain
import ChatEngine
import Journal
import Synchronization

/// Wraps the engine's log and records every frame that the engine appends.
final class RecordingLog: EventLog {
    private let log: any EventLog<Outcome>
    private let recorder: Recorder
    /// The frames read at startup, kept because reading them again is slow.
    private let frames = Mutex<[History.Frame]>([])

    init(_ log: any EventLog<Outcome>, _ recorder: Recorder) {
        self.log = log
        self.recorder = recorder
    }

    func reserve(isForServer: Bool) -> Reservation? { log.reserve(isForServer: isForServer) }
    func fits(_ records: [Record]) -> Bool { log.fits(records) }
    func canExpress(_ records: [Record]) -> Bool { log.canExpress(records) }
    func cancel(_ reservation: consuming Reservation) { log.cancel(reservation) }

    func append(
        _ records: [Record], expecting sequence: UInt64, note: Outcome, in reservation: consuming Reservation
    ) {
        recorder.record(.appended(History.Frame(sequence: sequence, records: records))) { $0.add(sequence) }
        log.append(records, expecting: sequence, note: note, in: reservation)
    }

    func batch(isFlushedByCaller: Bool, _ body: () -> Void) {
        log.batch(isFlushedByCaller: isFlushedByCaller, body)
    }

    func flush() { log.flush() }
    func mark(_ note: Outcome) { log.mark(note) }
    var isSynced: Bool { log.isSynced }

    func follow(_ follower: @escaping @Sendable ([Outcome]) -> Void) {
        log.follow { [recorder] outcomes in
            // The outcome of a command that wrote nothing has no frame.
            if let last = outcomes.last(where: { $0.frame > 0 })?.frame {
                recorder.record(.synced(upTo: last)) { $0.add(last) }
            }
            follower(outcomes)
        }
    }

    func close(_ done: @escaping @Sendable () -> Void) { log.close(done) }
    var lastSequence: UInt64 { log.lastSequence }
    func first(ofLastBytes bytes: Int) -> UInt64 { log.first(ofLastBytes: bytes) }
    func base() throws -> (state: ChatState, sequence: UInt64) { try log.base() }

    func read(from sequence: UInt64, _ body: (UInt64, [Record]) throws -> Void) throws {
        try log.read(from: sequence) { number, records in
            frames.withLock { $0.append(History.Frame(sequence: number, records: records)) }
            try body(number, records)
        }
    }

    /// Removes and returns the frames read at startup.
    func drainFrames() -> [History.Frame] {
        frames.withLock { frames in
            defer { frames = [] }
            return frames
        }
    }
}
