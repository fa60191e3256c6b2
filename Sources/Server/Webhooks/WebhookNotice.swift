import Journal

/// An event that the operator should know about.
package enum WebhookNotice: Sendable, Equatable {
    /// The oldest waiting events were dropped, because there were too many or they retained too much of the
    /// journal. At most once a minute per webhook.
    case movedOn(webhook: String, events: Int)
    /// At start, frames were missed that are no longer available.
    case cannotReach(webhook: String, frames: UInt64)
    /// Webhook state cannot be written; until it can, a crash causes events to be delivered again.
    case notKept(DiskError)
}
