import WireProtocol

/// `/queues`: how full each queue is, and how long it lets one wait.
extension Server {
    private struct QueueFill {
        let name: String
        let length: Int
        /// Nil where what fills it has a bound of its own elsewhere.
        let bound: Int?
    }

    func queuesJSON() -> [UInt8] {
        var queues = loops.map { QueueFill(name: "loop.\($0.index)", length: $0.postedCount, bound: nil) }
        let limits = configuration.limits
        queues.append(
            QueueFill(name: "chat", length: services.engine.waitingCount, bound: limits.engine.commandsWaiting))
        queues.append(
            QueueFill(name: "journal", length: storage.log.pendingCount, bound: limits.journal.pendingFrames))
        var writer = JSONWriter()
        writer.object { $0.array("queues", queues.map(json)) }
        return writer.bytes
    }

    private func json(_ queue: QueueFill) -> [UInt8] {
        let lag = registry.histogram("belfry_queue_lag_seconds", [("queue", queue.name)])?.distribution
        var writer = JSONWriter()
        writer.object { object in
            object.field("queue", queue.name)
            object.field("length", Int64(queue.length))
            if let bound = queue.bound { object.field("bound", Int64(bound)) }
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
}
