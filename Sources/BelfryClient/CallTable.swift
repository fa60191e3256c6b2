/// Commands that have left and wait for their answers.
///
/// All have the same time to be answered, so they fall due in the order they left.
struct CallTable {
    enum Purpose: Equatable {
        case connect
        /// `call` is nil when the session itself subscribes again.
        case subscribe(room: String, call: CallID?)
        /// `call` is nil when the app changed its mind before it was subscribed.
        case unsubscribe(call: CallID?)
        case refresh
        case rpc(CallID)
    }

    private var purposes: [UInt32: (purpose: Purpose, bytes: Int)] = [:]
    private var order: [(id: UInt32, deadline: Int64)] = []
    /// Everything in `order` before it is done with.
    private var head = 0
    private var lastID: UInt32 = 0
    /// Of the commands under way.
    private(set) var bytes = 0

    var count: Int { purposes.count }

    /// - Returns: The id of the command on the wire; never 0.
    mutating func add(_ purpose: Purpose, bytes: Int, deadline: Int64) -> UInt32 {
        lastID = lastID == .max ? 1 : lastID + 1
        purposes[lastID] = (purpose, bytes)
        self.bytes += bytes
        order.append((lastID, deadline))
        return lastID
    }

    /// - Returns: Nil when the answer came too late, or to a command of an earlier connection.
    mutating func remove(_ id: UInt32) -> Purpose? {
        guard let (purpose, bytes) = purposes.removeValue(forKey: id) else { return nil }
        self.bytes -= bytes
        trim()
        return purpose
    }

    /// Those that are out of time, in the order they left.
    mutating func removeExpired(now: Int64) -> [Purpose] {
        var expired: [Purpose] = []
        while head < order.count, order[head].deadline <= now {
            if let purpose = remove(order[head].id) { expired.append(purpose) }
        }
        return expired
    }

    /// All of them, in the order they left.
    mutating func removeAll() -> [Purpose] {
        let all = order[head...].compactMap { purposes[$0.id]?.purpose }
        purposes = [:]
        order = []
        head = 0
        bytes = 0
        return all
    }

    var nextDeadline: Int64? { head < order.count ? order[head].deadline : nil }

    /// Lets go of what stands in front and is answered.
    private mutating func trim() {
        while head < order.count, purposes[order[head].id] == nil { head += 1 }
        if head >= 64, head * 2 >= order.count {
            order.removeFirst(head)
            head = 0
        }
    }
}

/// Names a call of the app's, for as long as the client lives.
struct CallID: Hashable, Sendable {
    let rawValue: UInt64
}
