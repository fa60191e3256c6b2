import Gateway

/// Drops what the nodes no longer need from the log. Only the writer does so.
extension Replica {
    struct Trimming {
        var search: TrimSearch?
        /// Whether a request to the store is under way.
        var isAsking = false
        var next: Int64 = 0
        /// What the store reported last.
        var usage: LogUsage?
        /// How many messages this process has dropped.
        var dropped: UInt64 = 0
    }

    /// The pause between two looks at the log, in milliseconds.
    private static var interval: Int64 { 5_000 }
    /// The pause while the log is more than half full.
    private static var shortInterval: Int64 { 1_000 }

    /// The last frame that this node need not read again, also for the sake of a node that copies from it.
    var syncedFrame: UInt64 { min(log?.journal.lastSynced ?? 0, heldFrame ?? .max) }

    /// Holds frames in the log although this node has them, because another node copies from it. Callable from any queue.
    ///
    /// - Parameter frame: The last frame in the copy; nil once the other node follows the log.
    package func hold(after frame: UInt64?) { queue.async { self.heldFrame = frame } }

    func trim(at now: Int64) {
        guard let policy, !hasEnded, election.role == .writer, !election.isHandingOver, !trimming.isAsking,
            now >= trimming.next
        else { return }
        trimming.next = now + Self.interval
        ask({ self.store.usage($0) }, { self.beginTrimming(usage: $0, policy, at: now) })
    }

    private func beginTrimming(usage: LogUsage, _ policy: TrimPolicy, at now: Int64) {
        trimming.usage = usage
        if let limit = usage.byteLimit, usage.bytes > limit / 2 { trimming.next = now + Self.shortInterval }
        let own = (synced: syncedFrame, read: (reader?.next ?? 1) - 1)
        let others = roster.live(at: clock()).map(\.beat)
        guard let progress = TrimProgress(own: own, others: others) else { return }
        trimming.search = TrimSearch(usage, progress, policy, at: wallClock())
        continueTrimming()
    }

    private func continueTrimming() {
        switch trimming.search?.next {
        case .examine(let number): ask({ self.store.examine(number, $0) }, { self.examined(number, $0) })
        case .found(let number):
            trimming.search = nil
            guard let usage = trimming.usage, number > usage.bounds.first else { return }
            ask({ self.store.trim(before: number, $0) }, { self.dropped(before: number, usage) })
        case nil: break
        }
    }

    private func examined(_ number: UInt64, _ dated: DatedEntry?) {
        guard let dated, dated.entry.number == number, let message = try? LogMessage(dated.entry.message) else {
            return trimming.search = nil
        }
        trimming.search?.receive(message, number: number, storedAt: dated.milliseconds)
        continueTrimming()
    }

    private func dropped(before number: UInt64, _ usage: LogUsage) {
        trimming.dropped += number - usage.bounds.first
        trimming.usage = LogUsage(
            bounds: LogBounds(first: number, last: usage.bounds.last), bytes: usage.bytes, byteLimit: usage.byteLimit)
    }

    /// Sends a request to the store. After a failure, and once this node is the writer no longer, the next look begins anew.
    private func ask<Value: Sendable>(
        _ request: (@escaping @Sendable (Result<Value, LogStoreError>) -> Void) -> Void,
        _ receive: @escaping @Sendable (Value) -> Void
    ) {
        trimming.isAsking = true
        request { result in
            self.queue.async {
                self.trimming.isAsking = false
                guard case .success(let value) = result, !self.hasEnded, self.election.role == .writer else {
                    return self.trimming.search = nil
                }
                receive(value)
            }
        }
    }
}
