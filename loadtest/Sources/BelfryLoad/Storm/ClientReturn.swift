import Synchronization

/// How one client reconnected. Touched on its loop; read when the loop is idle.
final class ClientReturn: @unchecked Sendable {
    /// Nanoseconds from the common start until this client was connected again; nil when it never was.
    private(set) var connected: UInt64?
    /// The same, until it had received the last message it had missed.
    private(set) var recovered: UInt64?
    /// How often the server reported that missed messages are lost.
    private(set) var refusals = 0

    func recordConnected(after nanoseconds: UInt64, recovered: Bool) {
        if connected == nil { connected = nanoseconds }
        if !recovered { refusals += 1 }
    }

    func recordRecovered(after nanoseconds: UInt64) {
        if recovered == nil { recovered = nanoseconds }
    }
}

/// When all clients started to reconnect, and how many have.
final class Reconnection: Sendable {
    /// Nanoseconds of the monotonic clock; 0 before.
    let began = Atomic<UInt64>(0)
    let connected = Atomic<Int>(0)
    let recovered = Atomic<Int>(0)

    /// Nanoseconds since then; nil before.
    var elapsed: UInt64? {
        let began = began.load(ordering: .acquiring)
        return began == 0 ? nil : Clock.since(began)
    }
}
