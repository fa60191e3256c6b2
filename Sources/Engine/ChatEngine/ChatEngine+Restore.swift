import ChatDomain
import Journal

extension ChatEngine {
    /// Loads the log's base state and replays the records after it. Makes the latest events recoverable for clients and
    /// hands webhooks the events they have not received. Call it once, before the first command.
    ///
    /// - Throws: If the log cannot be read, or its records are out of order.
    package func restore() throws {
        let base = try log.base()
        (state, sequence) = (base.state, base.sequence)
        state.blocks.limit = limits.blockCacheBytes
        settings = state.settings(over: configured)
        let last = log.lastSequence
        let recoverable = UInt64(limits.recoverableFrames)
        let firstRecoverable = max(
            last > recoverable ? last - recoverable + 1 : 1, log.first(ofLastBytes: limits.recoverableBytes))
        let listeners = publisher.beginRestoring(
            state.webhooks, base: base.sequence, last: last, firstRecoverable: firstRecoverable)
        var delivered = listeners.delivered
        var index = search.map { SearchRestore($0, base: SearchProgress(frame: base.sequence, at: state.lastAt)) }
        var frames: [Publisher.RestoredFrame] = []
        var effectCount = 0
        try log.read(from: base.sequence + 1) { sequence, records in
            var frame = Publisher.RestoredFrame(number: sequence, isRecoverable: sequence >= firstRecoverable)
            for record in records {
                guard state.expects(record) else { throw OutOfOrder(record) }
                recordSearchChanges(of: record)
                state.evolve(record)
                if case .settingsChanged = record.event { settings = state.settings(over: configured) }
                switch record.event {
                // No progress is recorded for a new webhook, even if an earlier one had the same id.
                case .webhookSet, .webhookDeleted: delivered = min(delivered, sequence - 1)
                default: break
                }
                if frame.isRecoverable || sequence > delivered {
                    frame.add(state.effects(of: record, settings), &restoredPushes, isDelivered: sequence <= delivered)
                }
            }
            index?.append(searchChanges, SearchProgress(frame: sequence, at: records.last?.at ?? 0))
            searchChanges = []
            frame.isForWebhooks = sequence > delivered
            if !frame.droppedPushes.isEmpty {
                metrics.restoredPushesDropped.increment(by: frame.droppedPushes.count)
            }
            self.sequence = sequence
            if frame.effects.isEmpty { return }
            frames.append(frame)
            effectCount += frame.effects.count
            if effectCount >= 1_000 {
                listeners.add(frames)
                (frames, effectCount) = ([], 0)
            }
        }
        if let newest = state.newestMessageID { ids.advance(past: newest) }
        live.restore(from: state)
        scheduleSightings()
        let revocations = state.tokenRevocations
        revokedTokens.replace(revocations, erased: state.erasedUsers)
        hook.replace(state.hook)
        metrics.revocations.record(revocations.count)
        metrics.guests.record(state.guestCount)
        scheduleGuestScan()
        scheduleFileExpiry()
        scheduleFollowUps()
        deadlines = Deadlines(of: state, settings)
        scheduleDeadlines()
        scheduleErasures()
        listeners.add(frames)
        listeners.finish(webhooks: state.webhooks, last: last)
        scheduleRestoredPushes()
        index?.finish(self)
    }
}

extension Publisher.RestoredFrame {
    /// Defers searches for push recipients until after startup: it is no longer known who was connected at the time.
    fileprivate mutating func add(_ new: [Effect], _ pushes: inout RestoredPushes, isDelivered: Bool) {
        for effect in new {
            if case .pushing(let search) = effect {
                if isDelivered { continue }
                if let dropped = pushes.append(search, of: number) { droppedPushes.append(dropped) }
            }
            effects.append(effect)
        }
    }
}
