import ChatDomain
import Journal

extension ChatEngine {
    /// Takes over the log's state and the records after it, and lets clients recover the latest of its events. Called
    /// once, before the first command.
    ///
    /// - Throws: When the log cannot be read, or its records do not follow from each other.
    package func restore() throws {
        let base = try log.base()
        (state, sequence) = (base.state, base.sequence)
        settings = state.settings(over: configured)
        let last = log.lastSequence
        let recoverable = UInt64(limits.recoverableFrames)
        let firstRecoverable = last > recoverable ? last - recoverable + 1 : 1
        let rings = publisher.beginRestoring()
        var effects: [Effect] = []
        try log.read(from: base.sequence + 1) { sequence, records in
            for record in records {
                guard state.expects(record) else { throw OutOfOrder(record) }
                state.evolve(record)
                if case .settingsChanged = record.event { settings = state.settings(over: configured) }
                if sequence >= firstRecoverable { effects += state.effects(of: record, settings) }
            }
            self.sequence = sequence
            if effects.count >= 1_000 {
                rings.add(effects)
                effects = []
            }
        }
        rings.add(effects)
        rings.finish()
        publisher.begin(webhooks: state.webhooks)
    }
}
