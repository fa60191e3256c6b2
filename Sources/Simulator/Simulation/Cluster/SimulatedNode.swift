import Gateway
import Replication

/// A node of a simulated cluster: a machine with a disk and a clock, on which one server after another runs.
///
/// Confined to the simulator's thread, which stands in for the queues of the node.
final class SimulatedNode: @unchecked Sendable {
    /// The steps of an orderly stop.
    enum Stopping: Equatable {
        case handingOver
        /// The clients are told to leave, and have until this time on the timeline.
        case draining(until: Int64)
    }

    /// Why the server must end.
    struct Failure {
        let reason: String
        let isExpected: Bool
    }

    let index: Int
    let name: String
    /// How far the machine's clock is ahead, in milliseconds.
    let clockOffset: Int64
    var disk: SimulatedDisk
    var server: SimulatedServer?
    var clock: SimulatedClock?
    private var store: SimulatedLogConnection?
    private var bus: SimulatedBusConnection?
    /// Whether the process is stopped, as by SIGSTOP.
    private(set) var isStopped = false
    var stopping: Stopping?
    var failure: Failure?
    /// When the next server starts, on the timeline.
    var nextStart: Int64 = 0
    /// When the server started, on the timeline.
    var began: Int64 = 0
    /// When the server next looks whether it is cut off.
    var nextWatch: Int64 = 0
    /// The number of servers started so far.
    var starts: UInt64 = 0
    var erasure: DiskErasure
    /// Whether the disk is about to lose its power.
    var isLosingPower = false

    var isStoreCut = false { didSet { store?.isCut = isStoreCut } }
    var isBusCut = false { didSet { bus?.isCut = isBusCut } }
    var side = 0 { didSet { bus?.side = side } }

    init(_ index: Int, _ name: String, clockOffset: Int64, disk: SimulatedDisk) {
        self.index = index
        self.name = name
        self.clockOffset = clockOffset
        erasure = DiskErasure(seed: UInt64(index))
        self.disk = disk
    }

    /// Whether the server runs and takes clients.
    var acceptsClients: Bool { server != nil && stopping == nil }
    var isReady: Bool { acceptsClients && !isStopped && server?.member?.status.isReady ?? false }

    /// Connects a new process to the log store and the bus.
    func connect(_ store: SimulatedLogStore, _ bus: SimulatedBus) -> (SimulatedLogConnection, SimulatedBusConnection) {
        let (store, bus) = (store.connect(), bus.connect())
        (store.isCut, bus.isCut, bus.side) = (isStoreCut, isBusCut, side)
        (self.store, self.bus) = (store, bus)
        return (store, bus)
    }

    func stop() {
        guard !isStopped, let member = server?.member else { return }
        isStopped = true
        member.stop()
    }

    func resume() {
        guard isStopped else { return }
        isStopped = false
        server?.member?.resume()
    }

    /// Ends the process without a word.
    func die() {
        server?.die()
        clock?.cancelTimers()
        (server, clock, store, bus, stopping, failure) = (nil, nil, nil, nil, nil, nil)
        (isStopped, isLosingPower) = (false, false)
    }

    /// Ends all trouble with contact.
    func reconnect() {
        (isStoreCut, isBusCut, side) = (false, false, 0)
        resume()
    }
}
