import ChatDomain
import ChatModel
import Dispatch

/// Bodies of messages on disk.
extension ChatEngine {
    /// Blocks of a snapshot that are adopted in one turn.
    private static var adoptionLimit: Int { 1_000 }

    /// Reads blocks off the engine's queue.
    ///
    /// - Parameter done: Called on the engine's queue.
    func loadBlocks(_ missing: [BlockReference], _ done: @escaping @Sendable () -> Void) {
        guard let reader = state.blocks.reader else { return done() }
        let size = missing.reduce(0) { $0 + Int($1.size) }
        loadingBytes += size
        loader {
            let found = missing.map { ($0, reader.read($0)) }
            self.runBetweenBatches {
                self.loadingBytes -= size
                for (block, contents) in found { self.state.blocks.add(block, contents) }
                self.metrics.blockCacheBytes.record(self.state.blocks.size + self.loadingBytes)
                done()
            }
        }
    }

    /// Uses the blocks that a snapshot has written, and frees the memory of bodies beyond the budget. Callable from any
    /// queue.
    ///
    /// - Parameters:
    ///   - time: The time of the state in the snapshot, in milliseconds since 1970.
    ///   - files: The files of blocks to which the snapshot refers. All others are closed.
    ///   - done: Called when nothing refers to an earlier place of these bodies, on any queue, with the reason why a file
    ///     cannot be opened.
    package func adopt(
        _ blocks: [StoredBlock], asOf time: Int64, keeping files: Set<UInt64>,
        _ done: @escaping @Sendable (_ problem: String?) -> Void
    ) {
        adopt(blocks[...], asOf: time) {
            guard let reader = self.state.blocks.reader else { return done(nil) }
            self.loader { done(reader.retain(files)) }
        }
    }

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

/// Reads blocks, and compiles text rules, on a few threads.
package struct BlockLoader: Sendable {
    package static let standard = BlockLoader()
    private let queues = (0..<4).map { DispatchQueue(label: "belfry.bodies.\($0)") }

    func callAsFunction(_ body: @escaping @Sendable () -> Void) {
        queues[Int.random(in: queues.indices)].async(execute: body)
    }
}
