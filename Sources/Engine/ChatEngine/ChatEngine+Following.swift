import ChatDomain
import ChatModel
import Gateway
import Journal

/// Why a logged frame cannot follow this node's state. The node must leave the cluster.
package enum Divergence: Error, Sendable {
    case missingFrames(after: UInt64, found: UInt64)
    case outOfOrder(frame: UInt64, OutOfOrder)
}

/// Follows the node that decides.
///
/// A follower decides nothing, because its log refuses reservations. It applies what the log shows and publishes the
/// effects to its own connections.
extension ChatEngine {
    /// Applies frames in order and appends each to this node's own log, which publishes its effects. Ignores frames that
    /// the state already contains. Callable from any queue; a few brief frames are applied on the caller's thread if the
    /// engine is idle, because a thread wake-up costs more than they do.
    ///
    /// The log must have reserved space for every frame and know its bytes.
    ///
    /// - Parameter done: Called on the engine's queue with the number of the last applied frame, or with the reason why a
    ///   frame cannot be applied. The rest is then ignored.
    package func follow(
        _ frames: [LoggedFrame], _ done: @escaping @Sendable (Result<UInt64, Divergence>) -> Void
    ) {
        let areBrief = frames.count <= BatchQueue.wakeLimit && frames.allSatisfy(\.isBrief)
        let item = BatchQueue.Item.betweenBatches(isBrief: areBrief) {
            var result = Result<UInt64, Divergence>.success(self.sequence)
            // A quick disk is written to here, which saves a wake-up of the log's queue.
            self.log.batch(isFlushedByCaller: true) {
                do throws(Divergence) {
                    for frame in frames {
                        if let kept = frame.kept { self.cluster?.port.keep(kept) }
                        if let id = frame.freshID { self.ids.advance(past: id) }
                        if frame.records.isEmpty {
                            self.answer(frame)
                        } else if frame.number > self.sequence {
                            try self.follow(frame)
                        }
                    }
                    result = .success(self.sequence)
                } catch {
                    result = .failure(error)
                }
            }
            self.runReads()
            done(result)
            self.log.flush()
        }
        intake.post(item, wakes: false)
        intake.wake()
    }

    private func follow(_ frame: LoggedFrame) throws(Divergence) {
        guard frame.number == sequence + 1 else {
            throw .missingFrames(after: sequence, found: frame.number)
        }
        (payer, sender, announcedCost) = (.server, nil, 0)
        defer { metrics.work.increment(by: work.drain()) }
        let entry = frame.serial.flatMap { cluster?.relayed.remove($0) }
        let knewCaller = entry?.command.caller.user.map(state.knows) ?? true
        var effects: [Effect] = []
        for record in frame.records {
            guard state.expects(record) else { throw .outOfOrder(frame: frame.number, OutOfOrder(record)) }
            effects += findingPushes(in: apply(record))
        }
        charge(effects)
        let pending = entry.map {
            Outcome.Pending.command($0.address, answer(to: frame, $0, knewCaller: knewCaller))
        }
        append(frame.records, outcome(effects, pending), in: Reservation())
        for case .pushing(let search) in effects { searchLater(search, of: frame.number) }
    }

    /// Answers a command of this node that left no record.
    private func answer(_ frame: LoggedFrame) {
        guard let entry = frame.serial.flatMap({ cluster?.relayed.remove($0) }) else { return }
        recordClusterMetrics()
        log.mark(Outcome(effects: [], answer: .command(entry.address, answer(to: frame, entry, knewCaller: true))))
    }
}

extension LoggedFrame {
    /// Whether applying it always takes far less than a millisecond, as with the commands whose `Change.isBrief` is true.
    fileprivate var isBrief: Bool {
        records.allSatisfy { record in
            switch record.event {
            case .messageSent, .readMarked: true
            default: false
            }
        }
    }
}
