/// What every server of a comparison has to bear.
struct ComparePlan {
    var subscribers = 1_000
    /// How often each has its turn.
    var rounds = 10
    /// Messages in a turn; each waits until everybody has the one before.
    var singles = 100
    /// Bursts in a turn; each waits until everybody has the one before.
    var bursts = 25
    /// Messages in a burst: written at once by the publisher.
    var burst = 16

    /// Messages to each server before the first round, which are not measured.
    let warmup = 20

    /// Messages that each subscriber of a server is to hear, apart from a first one that tells how long an event is.
    var messages: Int { warmup + rounds * (singles + bursts * burst) }

    /// For the clients of `servers`, and some for the process itself.
    func descriptors(servers: Int) -> Int { servers * (subscribers + 1) + 64 }
}
