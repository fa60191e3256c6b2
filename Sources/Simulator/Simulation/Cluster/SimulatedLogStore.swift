import Replication

/// The log store that simulated nodes share, with the faults of a real one.
///
/// Confined to the simulator's thread, which stands in for the store's queue.
package final class SimulatedLogStore: @unchecked Sendable {
    /// The chance of each fault in percent.
    package struct Faults: Equatable, Sendable {
        package var lostRequests = 0
        /// Requests that arrive after the sender gave up.
        package var lateRequests = 0
        package var lostReplies = 0
        package var refusals = 0
        /// Repetitions that the store does not recognize, because it has forgotten the id.
        package var forgottenIDs = 0
        /// Conflicts without a message in the place, as if another append were under way there.
        package var falseConflicts = 0
        /// Reads from a copy that is behind.
        package var staleReads = 0
        package var lostPublications = 0
        package var doubledPublications = 0

        package static let none = Faults()

        package init() {}

        /// Each fault is rare, frequent or absent.
        package init(using random: inout SplitMix) {
            lostRequests = random.pick([0, 0, 5, 30])
            lateRequests = random.pick([0, 0, 5, 30])
            lostReplies = random.pick([0, 0, 5, 30])
            refusals = random.pick([0, 0, 5, 30])
            forgottenIDs = random.pick([0, 0, 30, 100])
            falseConflicts = random.pick([0, 0, 5, 30])
            staleReads = random.pick([0, 0, 5, 30])
            lostPublications = random.pick([0, 1, 5, 30])
            doubledPublications = random.pick([0, 1, 5, 30])
        }
    }

    let timeline: Timeline
    var random: SplitMix
    package var faults = Faults.none
    /// Whether the store answers. Without a quorum it does not.
    package var isAvailable = true
    /// All messages, also those dropped by `trim`.
    package private(set) var entries: [LogEntry] = []
    /// Receives each message at the moment at which it is stored.
    var observe: (LogEntry) -> Void = { _ in }
    private var first: UInt64 = 1
    private var numbers: [String: UInt64] = [:]
    private var connections: [SimulatedLogConnection] = []

    package init(timeline: Timeline, seed: UInt64) {
        self.timeline = timeline
        random = SplitMix(seed: seed)
    }

    /// Returns the connection of a node's process.
    package func connect() -> SimulatedLogConnection {
        let connection = SimulatedLogConnection(self)
        connections.append(connection)
        return connection
    }

    func remove(_ connection: SimulatedLogConnection) { connections.removeAll { $0 === connection } }

    var bounds: LogBounds { LogBounds(first: first, last: UInt64(entries.count)) }

    /// Performs an append that has arrived.
    package func append(_ message: [UInt8], expecting last: UInt64, id: String) -> AppendOutcome {
        if let number = numbers[id], !random.chance(percent: faults.forgottenIDs) { return .stored(number) }
        if random.chance(percent: faults.refusals) { return .refused("full") }
        guard last == entries.count, !random.chance(percent: faults.falseConflicts) else { return .conflict }
        let entry = LogEntry(number: last + 1, message: message)
        entries.append(entry)
        numbers[id] = entry.number
        observe(entry)
        for connection in connections { publish(entry, to: connection) }
        return .stored(entry.number)
    }

    private func publish(_ entry: LogEntry, to connection: SimulatedLogConnection) {
        let isLost = random.chance(percent: faults.lostPublications)
        let copies = isLost ? 0 : random.chance(percent: faults.doubledPublications) ? 2 : 1
        for _ in 0..<copies { timeline.after(1 + random.below(10)) { connection.deliver(entry) } }
    }

    /// Performs a read that has arrived.
    func read(from number: UInt64, bytes: Int) -> Result<[LogEntry], LogStoreError> {
        guard number >= first else { return .failure(.dropped(first: first)) }
        let hidden = random.chance(percent: faults.staleReads) ? 1 + random.below(3) : 0
        var result: [LogEntry] = []
        var size = 0
        for entry in entries.dropLast(hidden).dropFirst(Int(number - 1)) where size < bytes || result.isEmpty {
            result.append(entry)
            size += entry.message.count
        }
        return .success(result)
    }

    /// Goes back in time, as a store does that was restored from an old copy.
    package func loseLast(_ count: Int) {
        entries.removeLast(min(count, entries.count))
        numbers = numbers.filter { $0.value <= entries.count }
    }

    func trim(before number: UInt64) { first = min(max(first, number), UInt64(entries.count) + 1) }
}
