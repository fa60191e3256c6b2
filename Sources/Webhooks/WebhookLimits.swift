/// The bounds of deliveries to webhooks, for each webhook by itself.
package struct WebhookLimits: Sendable, Equatable {
    /// Events that wait in memory.
    package var queueEvents = 10_000
    /// Their bytes.
    package var queueBytes = 67_108_864
    /// Of files, for what does not fit in memory; beyond it the oldest event gives way. Without any, it does at once.
    package var overflowBytes = 1_073_741_824
    /// Frames of the log that are kept for what waits; beyond it the oldest gives way.
    package var lagFrames = 1_000_000
    /// Their bytes: of more, those that lie further back are not told again after a restart.
    package var lagBytes = 2_147_483_648
    /// After so many an event becomes a dead letter, and the next one's turn comes.
    package var attempts = 15
    /// That are kept; the oldest gives way.
    package var deadLetters = 1_000
    /// For one attempt, from looking up the host to the answer.
    package var timeoutMilliseconds = 10_000
    /// The wait doubles from the first to the longest; each is shortened by up to a half at random.
    package var firstDelayMilliseconds = 1_000
    package var longestDelayMilliseconds = 60_000

    package var destinations = Destinations()

    package init() {}
}
