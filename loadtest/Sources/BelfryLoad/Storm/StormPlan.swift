import BelfryClient

/// What a storm does: everyone is cut off, misses something, and comes back at once.
struct StormPlan: Codable, Sendable {
    /// Keeps this run's users, channels and messages apart from others on the same server.
    let run: String
    let rooms: [ChannelID]
    var clients: Int
    /// Messages in each room before anyone listens.
    var history: Int
    /// Messages in each room while everyone is away.
    var missed: Int
    var textBytes: Int
    var loops: Int
    /// Seconds to wait for everyone to be back.
    var patienceSeconds: Int
    var speaksTLS: Bool

    /// In each room: one that everyone hears before the cut, and those that are missed.
    var messages: Int { 1 + missed }
    func room(of client: Int) -> Int { client % rooms.count }
    func name(of client: Int) -> String { "load-\(run)-s\(client)" }
}
