import EventLoops
import Synchronization
import Transport

/// An event loop whose turns the simulator drives.
///
/// All state except the posted closures is confined to the simulator's thread, which stands in for the loop.
final class SimulatedLoop: ConnectionLoop, @unchecked Sendable {
    let index: Int
    private let clock: SimulatedClock
    private let beginning: Int64
    private let origin = ContinuousClock.now
    private let posted = Mutex<[@Sendable () -> Void]>([])
    private var hooks: [() -> Void] = []
    private var timers = TimerWheel<() -> Void>()
    /// In order of arrival.
    private var sockets: [SimulatedSocket] = []
    private(set) var isInTurn = false

    init(index: Int, clock: SimulatedClock) {
        self.index = index
        self.clock = clock
        beginning = clock.now
    }

    // MARK: Turns

    /// Runs everything that is due, in turns as on a real loop.
    ///
    /// - Parameter socketsFirst: Whether sockets run before posted closures.
    /// - Returns: Whether anything ran.
    func run(socketsFirst: Bool) -> Bool {
        var isBusy = socketsFirst ? runSockets() : false
        let work = posted.withLock { posted in
            defer { posted = [] }
            return posted
        }
        for body in work { turn(body) }
        isBusy = isBusy || !work.isEmpty
        if !socketsFirst { isBusy = runSockets() || isBusy }
        timers.advance(to: tick)
        while let body = timers.popDue() {
            turn(body)
            isBusy = true
        }
        return isBusy
    }

    private func runSockets() -> Bool {
        var isBusy = false
        turn { for socket in sockets { isBusy = socket.report() || isBusy } }
        return isBusy
    }

    private func turn(_ body: () -> Void) {
        isInTurn = !hooks.isEmpty
        body()
        for hook in hooks { hook() }
        isInTurn = false
    }

    func add(_ socket: SimulatedSocket) { sockets.append(socket) }
    func remove(_ socket: SimulatedSocket) { sockets.removeAll { $0 === socket } }

    /// Drops everything, because the process has ended.
    func die() {
        for socket in sockets { socket.detach() }
        sockets = []
        hooks = []
        timers = TimerWheel()
        posted.withLock { $0 = [] }
    }

    // MARK: ConnectionLoop

    func post(_ work: @escaping @Sendable () -> Void) { posted.withLock { $0.append(work) } }
    /// Does nothing, because everything runs on the simulator's one thread.
    func assertOnLoop() {}
    func atEndOfTurn(_ hook: @escaping () -> Void) { hooks.append(hook) }

    func now() -> ContinuousClock.Instant { origin.advanced(by: .milliseconds(clock.now - beginning)) }

    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerToken {
        timers.schedule(body, at: tick + 1 + UInt64(max(0, delay / Self.tickDuration)))
    }

    private var tick: UInt64 { UInt64(clock.now - beginning) / 100 }
    private static let tickDuration = Duration.milliseconds(100)

    func cancel(_ token: TimerToken) { _ = timers.cancel(token) }
}
