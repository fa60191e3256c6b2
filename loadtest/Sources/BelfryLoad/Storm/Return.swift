import Synchronization

/// How one client has come back. Touched on its loop; read when that is at rest.
final class Return: @unchecked Sendable {
    /// Nanoseconds from when all set out to this client being taken in again; nil when it never was.
    private(set) var connected: UInt64?
    /// The same, to having heard the last of what it had missed.
    private(set) var recovered: UInt64?
    /// Times the server said that what was missed is lost.
    private(set) var refusals = 0

    func wasTakenIn(after nanoseconds: UInt64, recovered: Bool) {
        if connected == nil { connected = nanoseconds }
        if !recovered { refusals += 1 }
    }

    func hasHeardAll(after nanoseconds: UInt64) {
        if recovered == nil { recovered = nanoseconds }
    }
}

/// When everyone set out to come back, and how many have.
final class Homecoming: Sendable {
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
