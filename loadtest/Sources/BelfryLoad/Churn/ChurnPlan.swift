import BelfryClient

/// What a run of coming and going does.
struct ChurnPlan: Sendable {
    /// Keeps this run's users and channel apart from others on the same server.
    let run: String
    let channel: ChannelID
    /// Clients that come and go at the same time, each with its next visit when the one before is over.
    var concurrency: Int
    /// People who take turns: what the chat holds of users does not grow with the visits.
    var users: Int
    /// One visit in so many joins the room and leaves it again; 0 for none.
    var joinEvery: Int
    var pace: Pace
    var loops: Int
    /// Seconds for the server to come back to what it was.
    var settleSeconds: Int
    var speaksTLS: Bool

    func name(of user: Int) -> String { "load-\(run)-v\(user)" }
}
