/// Calls made while there is no connection.
///
/// All have the same timeout, so they expire in the order in which they were made.
struct WaitingCalls {
    enum Operation: Equatable {
        case rpc(method: String, data: [UInt8])
        case subscribe(room: String)
        /// Sends nothing, and only waits for the connection.
        case connection
    }

    struct Call: Equatable {
        let id: CallID
        let operation: Operation
        let deadline: Int64
    }

    private var calls: [Call] = []
    private(set) var bytes = 0

    var count: Int { calls.count }
    var nextDeadline: Int64? { calls.first?.deadline }

    mutating func add(_ call: Call) {
        calls.append(call)
        bytes += call.bytes
    }

    /// Removes a call; does nothing if it was already sent or is done.
    mutating func remove(_ id: CallID) {
        guard let index = calls.firstIndex(where: { $0.id == id }) else { return }
        bytes -= calls.remove(at: index).bytes
    }

    mutating func removeExpired(now: Int64) -> [Call] {
        let expired = calls.prefix { $0.deadline <= now }
        calls.removeFirst(expired.count)
        for call in expired { bytes -= call.bytes }
        return Array(expired)
    }

    mutating func removeAll() -> [Call] {
        defer {
            calls = []
            bytes = 0
        }
        return calls
    }
}

extension WaitingCalls.Call {
    fileprivate var bytes: Int {
        switch operation {
        case .rpc(_, let data): data.count
        case .subscribe, .connection: 0
        }
    }
}
