/// One direction of a connection: bytes in transit and bytes that have arrived, in order.
struct SimulatedPipe {
    struct Piece {
        var bytes: [UInt8]
        /// The last durable frame when they were sent.
        let stamp: UInt64
    }

    private(set) var inFlight: [Piece] = []
    private(set) var arrived: [Piece] = []
    private(set) var inFlightCount = 0
    private(set) var arrivedCount = 0
    /// Whether the sender has closed its end.
    private(set) var isEnded = false

    /// Whether the reader has reached the end of the stream.
    var isAtEnd: Bool { isEnded && inFlight.isEmpty && arrived.isEmpty }

    mutating func send(_ bytes: [UInt8], stamp: UInt64 = 0) {
        guard !isEnded, !bytes.isEmpty else { return }
        inFlight.append(Piece(bytes: bytes, stamp: stamp))
        inFlightCount += bytes.count
    }

    mutating func end() { isEnded = true }

    /// - Returns: How many bytes arrived.
    @discardableResult
    mutating func deliver(atMost limit: Int) -> Int {
        var free = limit
        while free > 0, let first = inFlight.first {
            let count = min(free, first.bytes.count)
            arrived.append(Piece(bytes: Array(first.bytes[..<count]), stamp: first.stamp))
            if count == first.bytes.count {
                inFlight.removeFirst()
            } else {
                inFlight[0].bytes.removeFirst(count)
            }
            free -= count
        }
        let count = limit - free
        inFlightCount -= count
        arrivedCount += count
        return count
    }

    /// Loses the bytes in transit.
    mutating func lose() {
        inFlight = []
        inFlightCount = 0
    }

    /// Removes and returns everything that has arrived.
    mutating func drain() -> [Piece] {
        defer {
            arrived = []
            arrivedCount = 0
        }
        return arrived
    }

    /// Removes and returns at most this many bytes that have arrived.
    mutating func read(atMost limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit, let first = arrived.first {
            let count = min(limit - bytes.count, first.bytes.count)
            bytes += first.bytes[..<count]
            if count == first.bytes.count { arrived.removeFirst() } else { arrived[0].bytes.removeFirst(count) }
        }
        arrivedCount -= bytes.count
        return bytes
    }
}
