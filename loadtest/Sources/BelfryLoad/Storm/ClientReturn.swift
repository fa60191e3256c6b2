import Synchronization

/// The timing of one client's reconnection. Written on its loop and read once the loop is idle.
final class ClientReturn: @unchecked Sendable {
    /// Nanoseconds from the common start until this client had reconnected; nil if it never did.
    private(set) var connected: UInt64?
    /// Nanoseconds from the common start until it had received the last missed message; nil if it never did.
    private(set) var recovered: UInt64?
    /// The number of times the server reported that missed messages cannot be recovered.
    private(set) var refusals = 0

    func recordConnected(after nanoseconds: UInt64, recovered: Bool) {
        if connected == nil { connected = nanoseconds }
        if !recovered { refusals += 1 }
    }

    func recordRecovered(after nanoseconds: UInt64) {
        if recovered == nil { recovered = nanoseconds }
    }
}

/// The start of the reconnection, and the number of clients that have reconnected.
final class Reconnection: Sendable {
    /// The start in nanoseconds of the monotonic clock; 0 before.
    let began = Atomic<UInt64>(0)
    let connected = Atomic<Int>(0)
    let recovered = Atomic<Int>(0)

    /// Nanoseconds since the start; nil before it.
    var elapsed: UInt64? {
        let began = began.load(ordering: .acquiring)
        return began == 0 ? nil : Clock.since(began)
    }
}
