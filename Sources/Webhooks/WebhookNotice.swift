import Journal

/// What whoever runs the server should know of.
package enum WebhookNotice: Sendable, Equatable {
    /// So many of the oldest events that waited were given up: too many waited, or they held too much of the journal.
    /// At most once a minute for each webhook.
    case movedOn(webhook: String, events: Int)
    /// At a start: so many frames were missed and are not told any more.
    case cannotReach(webhook: String, frames: UInt64)
    /// What the webhooks have had is delivered again after a crash, until it can be written.
    case notKept(DiskError)
}
