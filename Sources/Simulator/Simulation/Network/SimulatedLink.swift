/// A connection between a client and a server over a network that delays and fragments data, and eventually fails.
///
/// The server's end is its `ConnectionSocket`. Confined to the simulator's thread.
final class SimulatedLink {
    enum Condition: Equatable {
        case open
        /// Both ends are notified, and all but a prefix of the bytes in transit is lost.
        case reset
        /// No more bytes move, and neither end is notified.
        case cut
    }

    private(set) var condition = Condition.open
    var up = SimulatedPipe()
    var down = SimulatedPipe()
    /// The server's send buffer in bytes; writes beyond it are not accepted.
    let sendBuffer: Int
    /// The client's receive window in bytes; beyond it, delivery waits until the client reads.
    private let window: Int
    private var random: SplitMix
    let recorder: Recorder
    private(set) var isClientGone = false
    var isServerGone = false

    init(_ random: inout SplitMix, recorder: Recorder) {
        sendBuffer = random.pick([300, 300, 3_000, 100_000])
        window = random.pick([200, 2_000, 50_000])
        self.random = SplitMix(seed: random.next())
        self.recorder = recorder
    }

    // MARK: Network

    /// Moves all, some or none of the bytes in transit, and occasionally breaks the connection.
    func deliver() {
        guard condition == .open else { return }
        switch random.below(1_000) {
        case 0..<3: return reset()
        case 3: return cut()
        default: break
        }
        move(&up, atMost: .max)
        move(&down, atMost: window - down.arrivedCount)
        settle()
    }

    private func move(_ pipe: inout SimulatedPipe, atMost limit: Int) {
        let count = min(pipe.inFlightCount, limit)
        guard count > 0 else { return }
        switch random.below(100) {
        case 0..<15: break
        case 15..<50: pipe.deliver(atMost: 1 + random.below(count))
        default: pipe.deliver(atMost: count)
        }
    }

    /// Moves all bytes in transit.
    ///
    /// - Returns: Whether anything moved.
    func deliverAll() -> Bool {
        guard condition == .open else { return false }
        let count = up.deliver(atMost: .max) + down.deliver(atMost: .max)
        settle()
        return count > 0
    }

    /// Resets the connection if bytes were sent to a closed end.
    private func settle() {
        if isClientGone, down.inFlightCount + down.arrivedCount > 0 { reset() }
        if isServerGone, up.arrivedCount > 0 { reset() }
    }

    func reset() {
        guard condition == .open else { return }
        condition = .reset
        for pipe in [\SimulatedLink.up, \.down] {
            let count = self[keyPath: pipe].inFlightCount
            self[keyPath: pipe].deliver(atMost: random.below(count + 1))
            self[keyPath: pipe].lose()
        }
    }

    func cut() {
        guard condition == .open else { return }
        condition = .cut
    }

    // MARK: Client's end

    func send(_ bytes: [UInt8]) {
        guard !isClientGone, condition != .reset else { return }
        up.send(bytes)
    }

    /// Returns the client's next input; `isOver` is true when nothing can follow.
    func read() -> (pieces: [SimulatedPipe.Piece], isOver: Bool) {
        let pieces = down.drain()
        return (pieces, condition == .reset || down.isAtEnd)
    }

    func clientCloses() {
        isClientGone = true
        up.end()
    }
}
