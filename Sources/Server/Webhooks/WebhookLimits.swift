/// Limits of webhook deliveries, per webhook.
package struct WebhookLimits: Sendable, Equatable {
    /// The maximum number of events waiting in memory.
    package var queueEvents = 10_000
    /// The maximum size of events waiting in memory, in bytes.
    package var queueBytes = 67_108_864
    /// The maximum size of overflow files for events that do not fit in memory, in bytes; beyond this, the oldest event
    /// is dropped. 0 disables the files.
    package var overflowBytes = 1_073_741_824
    /// The maximum number of log frames retained for waiting events; beyond this, the oldest event is dropped.
    package var lagFrames = 1_000_000
    /// The maximum size of the retained log frames, in bytes; frames further back are not delivered again after a
    /// restart.
    package var lagBytes = 2_147_483_648
    /// The number of failed attempts after which an event becomes a dead letter and the next one is delivered.
    package var attempts = 15
    /// The maximum number of stored dead letters; beyond this, the oldest is evicted.
    package var deadLetters = 1_000
    /// Timeout of one attempt, from the DNS lookup to the response.
    package var timeoutMilliseconds = 10_000
    /// The delay doubles from the first to the longest; each delay is randomly shortened by up to half.
    package var firstDelayMilliseconds = 1_000
    package var maxDelayMilliseconds = 60_000

    package var destinations = Destinations()

    package init() {}
}
