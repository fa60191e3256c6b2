import WireProtocol

/// The delivery state of a webhook.
package struct WebhookFigures: Sendable, Equatable {
    package let id: String
    /// The number of waiting events, including the one being delivered.
    package let pending: Int
    /// When the first waiting event happened, in milliseconds since 1970; nil when nothing is waiting.
    package let oldestAt: Int64?
    /// The number of failed attempts to deliver the first waiting event.
    package let attempts: Int
    /// When the first waiting event is retried, in milliseconds since 1970; nil during an attempt and when nothing is
    /// waiting.
    package let retryAt: Int64?
    /// Journal frames from the webhook's position to the end.
    package let lagFrames: UInt64
    /// The number of stored dead letters.
    package let deadLetters: Int
}

extension WebhookDispatcher {
    /// The figures of every webhook, sorted by id.
    package var figures: [WebhookFigures] {
        sortedSenders.map { id, sender in
            let snapshot = sender.snapshot
            return WebhookFigures(
                id: id, pending: snapshot.pending,
                oldestAt: snapshot.oldest.flatMap { body in
                    (try? JSONFields(body).unsigned("at")).flatMap { Int64(exactly: $0) }
                },
                attempts: snapshot.attempts, retryAt: snapshot.retryAt,
                lagFrames: snapshot.published - min(snapshot.published, snapshot.cursor),
                deadLetters: letters?.count(of: id) ?? 0)
        }
    }
}
