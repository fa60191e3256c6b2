/// What a run of everything that people do does.
struct MixedPlan: Sendable {
    /// Keeps this run's users, channels and messages apart from others on the same server.
    let run: String
    var seating: Seating
    var roomsPerUser: Int
    var roomSize: Int
    var shares: Shares
    var zipfExponent: Double
    var seed: UInt64
    /// Its messages are operations of all kinds.
    var pace: Pace
    var textBytes: Int
    var loops: Int
    /// Seconds to wait for the last deliveries.
    var drainSeconds: Int

    /// - Throws: `LoadError` when nobody could keep account of it.
    func check() throws {
        guard pace.messages * roomSize <= 50_000_000 else {
            throw LoadError("that is more than can be kept account of: lower the seconds or the rate")
        }
    }
}
