/// A connection between a client and a server over a network that delivers late, in pieces, and not for ever.
///
/// The server's end of it is its `ConnectionSocket`. Touched on the simulator's thread only.
final class SimulatedLink {
    enum Condition: Equatable {
        case open
        /// Both ends are told, and what was under way is lost but for a beginning.
        case reset
        /// Nothing moves any more, and nobody is told.
        case cut
    }

    private(set) var condition = Condition.open
    var up = SimulatedPipe()
    var down = SimulatedPipe()
    /// Of the server's system: beyond it a write takes nothing.
    let sendBuffer: Int
    /// Of the client's system: beyond it nothing is delivered until the client reads.
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

    // MARK: The network

    /// Time for bytes to move: all of them, some, or none; now and then the connection breaks.
    func carry() {
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
        let count = min(pipe.underWayCount, limit)
        guard count > 0 else { return }
        switch random.below(100) {
        case 0..<15: break
        case 15..<50: pipe.deliver(atMost: 1 + random.below(count))
        default: pipe.deliver(atMost: count)
        }
    }

    /// The network at its best.
    ///
    /// - Returns: Whether something moved.
    func carryAll() -> Bool {
        guard condition == .open else { return false }
        let count = up.deliver(atMost: .max) + down.deliver(atMost: .max)
        settle()
        return count > 0
    }

    /// Bytes for someone who has closed are answered with a reset.
    private func settle() {
        if isClientGone, down.underWayCount + down.arrivedCount > 0 { reset() }
        if isServerGone, up.arrivedCount > 0 { reset() }
    }

    func reset() {
        guard condition == .open else { return }
        condition = .reset
        for pipe in [\SimulatedLink.up, \.down] {
            let count = self[keyPath: pipe].underWayCount
            self[keyPath: pipe].deliver(atMost: random.below(count + 1))
            self[keyPath: pipe].lose()
        }
    }

    func cut() {
        guard condition == .open else { return }
        condition = .cut
    }

    // MARK: The client's end

    func send(_ bytes: [UInt8]) {
        guard !isClientGone, condition != .reset else { return }
        up.send(bytes)
    }

    /// What the client reads next; `isOver` when nothing can follow.
    func read() -> (pieces: [SimulatedPipe.Piece], isOver: Bool) {
        let pieces = down.take()
        return (pieces, condition == .reset || down.isAtEnd)
    }

    func clientCloses() {
        isClientGone = true
        up.end()
    }
}
