import WireProtocol

/// The delivery state of a webhook.
package struct WebhookFigures: Sendable, Equatable {
    package let id: String
    /// Waiting events, including the one being delivered.
    package let pending: Int
    /// When the first of them happened, in milliseconds since 1970; nil when nothing is waiting.
    package let oldestAt: Int64?
    /// Failed attempts to deliver the first of them.
    package let attempts: Int
    /// When it is retried, in milliseconds since 1970; nil during an attempt and when nothing is waiting.
    package let retryAt: Int64?
    /// Journal frames from its position to the end.
    package let lagFrames: UInt64
    /// Stored dead letters.
    package let deadLetters: Int
}

extension WebhookDispatcher {
    /// Of every webhook, sorted by id.
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
