import ChatDomain

/// Why records cannot be taken in although each can be read.
enum RestoreError: Error, CustomStringConvertible {
    case outOfOrder(Record)

    var description: String {
        switch self {
        case .outOfOrder(let record):
            "the places of its events in \(record.positions.map(\.room.name)) do not follow from those before"
        }
    }
}

extension ChatEngine {
    /// Folds the log's records into the state, and lets clients recover the latest of its events. Called once, before the
    /// first command.
    ///
    /// - Throws: When the log cannot be read, or its records do not follow from each other.
    package func restore() throws {
        var effects: [Effect] = []
        let last = log.lastSequence
        let recoverable = UInt64(limits.recoverableFrames)
        let firstRecoverable = last > recoverable ? last - recoverable + 1 : 1
        try log.read(from: 1) { sequence, records in
            for record in records {
                guard state.expects(record) else { throw RestoreError.outOfOrder(record) }
                state.evolve(record)
                guard sequence >= firstRecoverable else { continue }
                effects += state.effects(of: record, state.settings(over: configured))
            }
            self.sequence = sequence
            if effects.count >= 1_000 {
                publisher.restore(effects)
                effects = []
            }
        }
        publisher.restore(effects)
        settings = state.settings(over: configured)
        publisher.begin(webhooks: state.webhooks)
    }
}
