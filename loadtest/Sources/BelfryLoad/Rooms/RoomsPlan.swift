/// What a run of many small rooms does.
struct RoomsPlan: Sendable {
    /// Keeps this run's users, channels and messages apart from others on the same server.
    let run: String
    var seating: Seating
    var roomsPerUser: Int
    var roomSize: Int
    var zipfExponent: Double
    var seed: UInt64
    var pace: Pace
    var textBytes: Int
    var loops: Int
    /// Seconds to wait for the last deliveries.
    var drainSeconds: Int

    var deliveries: Int { pace.messages * roomSize }

    /// - Throws: `LoadError` when nobody could keep account of it.
    func check() throws {
        guard deliveries <= 50_000_000 else {
            throw LoadError(
                "\(deliveries) deliveries are more than can be kept account of: lower the seconds or the rate")
        }
    }
}
