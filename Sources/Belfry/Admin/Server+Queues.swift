import MetricTable
import Webhooks
import WireProtocol

/// `/queues`: the length and lag of each queue, and the backlog of each webhook.
extension Server {
    private struct QueueFill {
        let name: String
        let length: Int
        /// The queue's bound. Nil for a loop: the sources of its posts bound them, and its deliveries have a separate
        /// bound.
        var bound: Int?
        var deliveries: Int?
    }

    func queuesJSON() -> [UInt8] {
        var queues = zip(loops, servers).map { loop, server in
            QueueFill(name: "loop.\(loop.index)", length: loop.postedCount, deliveries: server.waitingCount)
        }
        let limits = configuration.limits
        queues.append(
            QueueFill(name: "chat", length: services.chat.engine.waitingCount, bound: limits.engine.commandsWaiting))
        queues.append(
            QueueFill(name: "journal", length: storage.log.pendingCount, bound: limits.journal.pendingFrames))
        var writer = JSONWriter()
        writer.object { object in
            object.array("queues", queues.map(json))
            let now = WallClock.milliseconds()
            object.array("webhooks", webhooks.figures.map { json($0, now: now) })
        }
        return writer.bytes
    }

    private func json(_ queue: QueueFill) -> [UInt8] {
        let lag = registry.histogram(.queueLagSeconds, [("queue", queue.name)])?.distribution
        var writer = JSONWriter()
        writer.object { object in
            object.field("queue", queue.name)
            object.field("length", Int64(queue.length))
            if let bound = queue.bound { object.field("bound", Int64(bound)) }
            if let deliveries = queue.deliveries {
                object.field("deliveries", Int64(deliveries))
                object.field("deliveries_bound", Int64(configuration.limits.engine.deliveriesWaiting))
            }
            guard let lag else { return }
            object.object("lag_seconds") { object in
                object.field("count", lag.count)
                for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
                    guard let value = lag.quantile(share) else { continue }
                    object.raw(name, prometheusText(value).utf8)
                }
            }
        }
        return writer.bytes
    }

    /// - Parameter now: Milliseconds since 1970.
    private func json(_ webhook: WebhookFigures, now: Int64) -> [UInt8] {
        var writer = JSONWriter()
        let limits = configuration.limits.webhooks
        writer.object { object in
            object.field("webhook", webhook.id)
            object.field("pending", Int64(webhook.pending))
            if let oldest = webhook.oldestAt { object.field("oldest_ms", max(0, now - min(now, oldest))) }
            object.field("attempts", Int64(webhook.attempts))
            if let retryAt = webhook.retryAt { object.field("retry_at", retryAt) }
            object.field("lag_frames", webhook.lagFrames)
            object.field("lag_bound", Int64(limits.lagFrames))
            object.field("dead_letters", Int64(webhook.deadLetters))
            object.field("dead_letters_bound", Int64(limits.deadLetters))
        }
        return writer.bytes
    }
}
