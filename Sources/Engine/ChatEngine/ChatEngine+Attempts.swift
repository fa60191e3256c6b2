import ChatDomain
import ChatModel

/// What commands and queries need and memory lacks: bodies of messages on disk, and text rules that are not compiled. The
/// engine's queue waits for neither: what needs them is tried again when they are there.
extension ChatEngine {
    /// How often a command or a step of a query may miss something before it is refused with 111.
    private static var attemptLimit: Int { 16 }

    enum Attempt<Result> {
        case found(Result)
        case missed(MissingParts)
    }

    /// Runs a decision or a step of a query, which changes nothing.
    ///
    /// - Parameter earlier: How often it has missed something.
    func attempt<Result>(
        _ earlier: Int, _ body: () throws(Rejection) -> Result
    ) throws(Rejection) -> Attempt<Result> {
        state.beginAttempt()
        let result = Swift.Result { () throws(Rejection) in try body() }
        let missing = state.endAttempt()
        recordDamage()
        guard !missing.isEmpty else { return .found(try result.get()) }
        metrics.bodyMisses.increment(by: missing.blocks.count)
        if missing.rules != nil {
            guard earlier < Self.attemptLimit, rulesWaiters.count < limits.commandsWaiting else {
                throw Rejection(.tooManyRequests, "text rules are being compiled")
            }
        } else {
            guard earlier < Self.attemptLimit, loadingBytes < limits.blockLoadingBytes else {
                throw Rejection(.tooManyRequests, "messages on disk")
            }
        }
        return .missed(missing)
    }

    /// Gets what an attempt has missed, off the engine's queue.
    ///
    /// - Parameter done: Called on the engine's queue.
    func load(_ missing: MissingParts, _ done: @escaping @Sendable () -> Void) {
        guard let rules = missing.rules else { return loadBlocks(missing.blocks, done) }
        compile(rules, done)
    }

    /// One set at a time: it may take much memory. Whoever needs another one tries again afterwards.
    private func compile(_ rules: TextRuleCompilation, _ done: @escaping @Sendable () -> Void) {
        rulesWaiters.append(done)
        metrics.rulesWaiting.record(rulesWaiters.count)
        guard rulesWaiters.count == 1 else { return }
        loader {
            let compiled = rules.run()
            self.runBetweenBatches {
                self.state.add(compiled)
                let waiters = self.rulesWaiters
                self.rulesWaiters = []
                self.metrics.rulesWaiting.record(0)
                for done in waiters { done() }
            }
        }
    }

    /// Counts damaged blocks when they are needed: one that was being read may have been replaced since.
    private func recordDamage() {
        let new = state.blocks.counts.damaged - damagedBlocks
        guard new > 0 else { return }
        damagedBlocks += new
        metrics.blocksDamaged.increment(by: new)
    }
}
