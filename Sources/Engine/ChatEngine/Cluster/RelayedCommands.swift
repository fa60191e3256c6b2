import ChatDomain
import ChatModel
import DequeModule
import Gateway

/// The commands that this node sent to the one that decides and whose outcome the log has not shown yet.
struct RelayedCommands {
    struct Entry {
        let command: RelayedCommand
        /// Milliseconds since 1970.
        let since: Int64
        let address: ReturnAddress
        /// Words the answer from the state after the command's records.
        let respond: (ChatEngine, Context, [Record]) throws(Rejection) -> any Encodable & Sendable
        /// Carries the command out here, because this node decides now.
        let carryOut: (ChatEngine) -> Void
    }

    struct Limits: Sendable, Equatable {
        var commands = 50_000
        var bytes = 67_108_864
        /// After this time, a command is answered with 1041 and forgotten: whether it took effect is not known.
        var milliseconds: Int64 = 20_000
        /// While the oldest command has waited longer than this, further ones are refused with 1040.
        var refusalMilliseconds: Int64 = 2_000
    }

    private let limits: Limits
    private var entries: [UInt64: Entry] = [:]
    private var lastSerial: UInt64 = 0
    private var bytes = 0
    /// The serials in order; some are gone already.
    private var order: Deque<UInt64> = []

    init(_ limits: Limits = Limits()) { self.limits = limits }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    var isFull: Bool { entries.count >= limits.commands || bytes >= limits.bytes }
    var nextSerial: UInt64 { lastSerial + 1 }
    /// In the order of the serials.
    var commands: [RelayedCommand] { inOrder.map(\.command) }

    private var inOrder: [Entry] { entries.values.sorted { $0.command.serial < $1.command.serial } }

    /// Whether the oldest command has waited so long that others should not begin to wait.
    mutating func isStalled(at now: Int64) -> Bool {
        while let first = order.first, entries[first] == nil { order.removeFirst() }
        guard let oldest = order.first.flatMap({ entries[$0] }) else { return false }
        return now - oldest.since > limits.refusalMilliseconds
    }

    /// Adds a command with the next serial.
    mutating func add(_ entry: Entry) {
        lastSerial = entry.command.serial
        entries[lastSerial] = entry
        bytes += entry.command.request.count
        order.append(lastSerial)
    }

    mutating func remove(_ serial: UInt64) -> Entry? {
        guard let entry = entries.removeValue(forKey: serial) else { return nil }
        bytes -= entry.command.request.count
        return entry
    }

    mutating func removeAll() -> [Entry] {
        defer { (entries, bytes, order) = ([:], 0, []) }
        return inOrder
    }

    /// Removes what has waited too long.
    mutating func removeLate(at now: Int64) -> [Entry] {
        let late = inOrder.filter { now - $0.since > limits.milliseconds }
        for entry in late { _ = remove(entry.command.serial) }
        return late
    }
}
