/// The parameters of a run with many small rooms.
struct RoomsPlan: Sendable {
    /// Distinguishes the users, channels and messages of this run from those of others on the same server.
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

    /// - Throws: `LoadError` when the ledgers would need too much memory.
    func check() throws {
        guard deliveries <= 50_000_000 else {
            throw LoadError(
                "\(deliveries) deliveries are too many to track: reduce the seconds or the rate")
        }
    }
}
