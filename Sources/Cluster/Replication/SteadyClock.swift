import Dispatch

/// A clock of the machine that never goes back.
package enum SteadyClock {
    /// Milliseconds since some moment in the past.
    package static var now: Int64 { Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000) }
}
