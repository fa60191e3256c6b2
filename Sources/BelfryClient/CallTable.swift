/// Sent commands that await their answers.
///
/// All have the same timeout, so they expire in the order in which they were sent.
struct CallTable {
    enum Purpose: Equatable {
        case connect
        /// `call` is nil when the session itself resubscribes.
        case subscribe(room: String, call: CallID?)
        /// `call` is nil when the app unsubscribed before the subscription succeeded.
        case unsubscribe(call: CallID?)
        case refresh
        case rpc(CallID)
    }

    private var purposes: [UInt32: (purpose: Purpose, bytes: Int)] = [:]
    private var order: [(id: UInt32, deadline: Int64)] = []
    /// Entries of `order` before this index are done.
    private var head = 0
    private var lastID: UInt32 = 0
    /// The size of the commands in progress, in bytes.
    private(set) var bytes = 0

    var count: Int { purposes.count }

    /// - Returns: The command's id on the wire; never 0.
    mutating func add(_ purpose: Purpose, bytes: Int, deadline: Int64) -> UInt32 {
        lastID = lastID == .max ? 1 : lastID + 1
        purposes[lastID] = (purpose, bytes)
        self.bytes += bytes
        order.append((lastID, deadline))
        return lastID
    }

    /// - Returns: Nil when the answer is late or belongs to an earlier connection.
    mutating func remove(_ id: UInt32) -> Purpose? {
        guard let (purpose, bytes) = purposes.removeValue(forKey: id) else { return nil }
        self.bytes -= bytes
        trim()
        return purpose
    }

    /// Removes the expired commands, in the order in which they were sent.
    mutating func removeExpired(now: Int64) -> [Purpose] {
        var expired: [Purpose] = []
        while head < order.count, order[head].deadline <= now {
            if let purpose = remove(order[head].id) { expired.append(purpose) }
        }
        return expired
    }

    /// Removes all commands, in the order in which they were sent.
    mutating func removeAll() -> [Purpose] {
        let all = order[head...].compactMap { purposes[$0.id]?.purpose }
        purposes = [:]
        order = []
        head = 0
        bytes = 0
        return all
    }

    var nextDeadline: Int64? { head < order.count ? order[head].deadline : nil }

    /// Drops answered commands from the front.
    private mutating func trim() {
        while head < order.count, purposes[order[head].id] == nil { head += 1 }
        if head >= 64, head * 2 >= order.count {
            order.removeFirst(head)
            head = 0
        }
    }
}

/// Identifies one of the app's calls for the client's lifetime.
struct CallID: Hashable, Sendable {
    let rawValue: UInt64
}
