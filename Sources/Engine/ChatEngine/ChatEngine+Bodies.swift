import ChatDomain
import ChatModel
import Dispatch

/// Bodies of messages on disk. The engine's queue does not wait for them: a command or query that needs some is tried
/// again when they are loaded.
extension ChatEngine {
    /// How often a command or a step of a query may miss bodies before it is refused with 111.
    private static var attemptLimit: Int { 16 }
    /// Blocks of a snapshot that are adopted in one turn.
    private static var adoptionLimit: Int { 1_000 }

    enum Attempt<Result> {
        case found(Result)
        case missed([BlockReference])
    }

    /// Runs a decision or a step of a query, which changes nothing.
    ///
    /// - Parameter earlier: How often it has missed bodies.
    func attempt<Result>(
        _ earlier: Int, _ body: () throws(Rejection) -> Result
    ) throws(Rejection) -> Attempt<Result> {
        state.blocks.beginAttempt()
        let result = Swift.Result { () throws(Rejection) in try body() }
        let missing = state.blocks.endAttempt()
        guard !missing.isEmpty else { return .found(try result.get()) }
        metrics.bodyMisses.increment(by: missing.count)
        guard earlier < Self.attemptLimit else { throw Rejection(.tooManyRequests, "messages on disk") }
        return .missed(missing)
    }

    /// Reads blocks off the engine's queue.
    ///
    /// - Parameter done: Called on the engine's queue.
    func load(_ missing: [BlockReference], _ done: @escaping @Sendable () -> Void) {
        guard let reader = state.blocks.reader else { return done() }
        loader {
            let found = missing.map { ($0, reader.read($0)) }
            self.runBetweenBatches {
                for (block, contents) in found {
                    if case .damaged = contents { self.metrics.blocksDamaged.increment() }
                    self.state.blocks.add(block, contents)
                }
                self.metrics.blockCacheBytes.record(self.state.blocks.size)
                done()
            }
        }
    }

    /// Uses the blocks that a snapshot has written, and frees the memory of bodies beyond the budget. Callable from any
    /// queue.
    ///
    /// - Parameters:
    ///   - time: The time of the state in the snapshot, in milliseconds since 1970.
    ///   - done: Called on the engine's queue, when it refers to no earlier place of these bodies.
    package func adopt(_ blocks: [StoredBlock], asOf time: Int64, _ done: @escaping @Sendable () -> Void) {
        adopt(blocks[...], asOf: time, done)
    }

    /// Closes the files of blocks that are not among these, and opens these. Call it when `adopt` is done, on any queue.
    ///
    /// - Returns: Why a file cannot be opened; `nil` if all are open.
    package func retainBlockFiles(_ files: Set<UInt64>) -> String? { blockReader.withLock(\.self)?.retain(files) }

    private func adopt(_ blocks: ArraySlice<StoredBlock>, asOf time: Int64, _ done: @escaping @Sendable () -> Void) {
        post { engine in
            for block in blocks.prefix(Self.adoptionLimit) { engine.state.adopt(block, asOf: time) }
            engine.work.charge(min(blocks.count, Self.adoptionLimit) * WorkCost.entry)
            let rest = blocks.dropFirst(Self.adoptionLimit)
            if rest.isEmpty { engine.surveyBodies(0, BodySurvey(), done) } else { engine.adopt(rest, asOf: time, done) }
        }
    }

    private func surveyBodies(_ part: Int, _ survey: BodySurvey, _ done: @escaping @Sendable () -> Void) {
        post { engine in
            var survey = survey
            engine.state.survey(part: part, &survey)
            if part + 1 < ChatState.bodyParts { return engine.surveyBodies(part + 1, survey, done) }
            engine.metrics.bodyBytes.record(survey.rest(for: engine.limits.bodyBytes))
            engine.metrics.bodyReads.record(engine.state.blocks.counts.reads)
            guard let time = survey.time(for: engine.limits.bodyBytes) else { return done() }
            engine.forgetBodies(0, upTo: time, done)
        }
    }

    private func forgetBodies(_ part: Int, upTo time: Int64, _ done: @escaping @Sendable () -> Void) {
        post { engine in
            engine.state.forgetBodies(part: part, upTo: time)
            if part + 1 < ChatState.bodyParts { return engine.forgetBodies(part + 1, upTo: time, done) }
            done()
        }
    }
}

/// Reads blocks on a few threads.
package struct BlockLoader: Sendable {
    package static let standard = BlockLoader()
    private let queues = (0..<4).map { DispatchQueue(label: "belfry.bodies.\($0)") }

    func callAsFunction(_ body: @escaping @Sendable () -> Void) {
        queues[Int.random(in: queues.indices)].async(execute: body)
    }
}
