import WireProtocol

/// How a webhook stands: what waits for it, and why.
package struct WebhookFigures: Sendable, Equatable {
    package let id: String
    /// Events that wait, the one that is being delivered among them.
    package let pending: Int
    /// When the first of them happened, in milliseconds since 1970; nil when nothing waits.
    package let oldestAt: Int64?
    /// Attempts at the first of them that failed.
    package let attempts: Int
    /// When it is tried again, in milliseconds since 1970; nil while it is tried, and when nothing waits.
    package let retryAt: Int64?
    /// Frames of the journal from what it was told last to the end.
    package let lagFrames: UInt64
    /// That are kept.
    package let deadLetters: Int
}

extension WebhookDispatcher {
    /// Of every webhook, by id.
    package var figures: [WebhookFigures] {
        everySender.map { id, sender in
            let standing = sender.standing
            return WebhookFigures(
                id: id, pending: standing.pending,
                oldestAt: standing.oldest.flatMap { body in
                    (try? JSONFields(body).unsigned("at")).flatMap { Int64(exactly: $0) }
                },
                attempts: standing.attempts, retryAt: standing.retryAt,
                lagFrames: standing.passed - min(standing.passed, standing.cursor),
                deadLetters: letters?.count(of: id) ?? 0)
        }
    }
}
