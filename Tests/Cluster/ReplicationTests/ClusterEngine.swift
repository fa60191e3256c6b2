import ChatDomain
import ChatModel
import Journal
import Simulation

@testable import Replication

/// An engine that knows the order of its frames and nothing else.
///
/// Confined to the test's thread, which stands in for the queues of its node.
final class ClusterEngine: @unchecked Sendable {
    /// What the engine attaches to a frame.
    struct Note: Sendable {
        let serial: UInt64
        /// Whether this node decided on the command.
        let isOwn: Bool
    }

    /// The serials of the frames in the journal, in order.
    private(set) var journaled: [UInt64]
    /// The serials that clients of this node know to be stored.
    private(set) var acknowledged: [UInt64] = []
    /// The serials that waited so long that clients were told that the outcome is unknown.
    private(set) var late: [UInt64] = []
    /// The number of the last frame that the engine applied.
    private(set) var applied: UInt64
    private let queue: SimulatedQueue
    private var log: ReplicatedLog<Note>?
    private var isClosed = false

    init(_ queue: SimulatedQueue, journaled: [UInt64]) {
        self.queue = queue
        self.journaled = journaled
        applied = UInt64(journaled.count)
    }

    func follow(_ log: ReplicatedLog<Note>) {
        self.log = log
        log.follow { notes in
            guard !self.isClosed else { return }
            self.journaled += notes.map(\.serial)
            self.acknowledged += notes.filter(\.isOwn).map(\.serial)
        }
    }

    /// The records of a command, of at least this size in bytes. All of them contain its serial, as their time.
    static func records(_ serial: UInt64, _ size: Int) -> [Record] {
        guard let user = UserID("user"), let channel = ChannelID("general") else { return [] }
        let text = String(repeating: "t", count: size)
        let small = Record(event: .userActivated(user), at: Int64(serial), by: nil, positions: [])
        let large = Record(
            event: .metadataSet(channel, ["key": text]), at: Int64(serial), by: nil,
            positions: [RoomOffset(room: .channel(channel), offset: 1)])
        return size > 0 ? [small, large] : [small]
    }

    /// Decides on a client's command, if the log lets it.
    func submit(_ serial: UInt64, bytes: Int) {
        queue.async { [self] in
            guard let log, let reservation = log.reserve() else { return }
            applied += 1
            log.append(
                Self.records(serial, bytes), expecting: applied, note: Note(serial: serial, isOwn: true),
                in: reservation)
        }
    }

    /// Applies frames of the shared log, and tells whether they fit.
    func follow(_ frames: [LoggedFrame], _ done: @escaping @Sendable (Bool) -> Void) {
        queue.async { [self] in
            for frame in frames {
                let serial = frame.records.first?.at ?? 0
                guard frame.number == applied + 1, frame.freshID?.high == UInt64(serial),
                    frame.records.allSatisfy({ $0.at == serial })
                else { return done(false) }
                applied += 1
                log?.append(
                    frame.records, expecting: applied, note: Note(serial: UInt64(serial), isOwn: false),
                    in: Reservation())
            }
            done(true)
        }
    }

    /// Ends the process.
    func close() {
        isClosed = true
        log = nil
    }

    func receiveLate(_ notes: [Note]) { late += notes.map(\.serial) }
}
