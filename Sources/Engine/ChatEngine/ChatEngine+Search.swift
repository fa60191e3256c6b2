import ChatDomain
import ChatModel
import Gateway

/// Searches, which wait for the index off the engine's queue.
extension ChatEngine {
    /// The largest number of lookups that wait for the index; further searches are refused with 111.
    static var searchesWaiting: Int { 1_000 }
    /// The same for one user.
    static var searchesWaitingPerUser: Int { 4 }

    /// Asks the index, and resumes the query in its caller's lane.
    ///
    /// - Parameter body: Called on the engine's queue with the answer.
    /// - Returns: The next turn, if there is no index.
    func find(
        _ lookup: SearchLookup, as caller: Caller, _ admitsNewcomer: Bool, _ address: ReturnAddress,
        _ body: @escaping (ChatEngine, SearchFindings) -> Rest?
    ) -> Rest? {
        guard let search else {
            metrics.slices.increment()
            return Rest { body($0, $0.state.scan(lookup, $0.work)) }
        }
        let lane = Lane(caller)
        guard searchCount < Self.searchesWaiting,
            lane == .server || searches[lane, default: 0] < Self.searchesWaitingPerUser
        else {
            refuse(Rejection(.tooManyRequests, "searches in progress"), address)
            return nil
        }
        searchCount += 1
        searches[lane, default: 0] += 1
        metrics.searchesWaiting.record(searchCount)
        let payers = Payers(caller, admitsNewcomer, address)
        let continuation = SearchContinuation(body: body)
        let ask = { @Sendable [self] in
            search.find(lookup) { [weak self] findings in
                guard let self else { return }
                intake.post(
                    .work(lane, payers.payer, bytes: nil) {
                        self.endSearch(in: lane)
                        if self.isOver(address) { return BatchQueue.Turn(cost: 0) }
                        return self.resumedTurn(payers) { continuation.body($0, findings) }
                    })
            }
        }
        // The index receives only what is durable on this node, which may be less than what another one acknowledged.
        if log.isSynced { ask() } else { afterPublishing(ask) }
        return nil
    }

    private func endSearch(in lane: Lane) {
        searchCount -= 1
        metrics.searchesWaiting.record(searchCount)
        if let count = searches[lane], count > 1 { searches[lane] = count - 1 } else { searches[lane] = nil }
    }

    /// Called on the log's queue.
    static func append(_ outcomes: [Outcome], to search: any SearchPort) {
        guard let last = outcomes.last(where: \.isNumbered) else { return }
        let changes = outcomes.flatMap(\.searchChanges)
        search.append(changes, through: SearchProgress(frame: last.frame, at: last.at))
    }

    /// Collects what a record changes for the index. Call it before the record is applied.
    func recordSearchChanges(of record: Record) {
        if search != nil { state.addSearchChanges(of: record, to: &searchChanges) }
    }
}

extension ChatEngine: SearchSource {
    /// Messages that are read in one turn, and the bytes of text after which it ends.
    private static var fillLimit: Int { 1_000 }
    private static var fillBytes: Int { 262_144 }

    package func readSearchRooms(_ done: @escaping @Sendable ([SearchRoom], SearchProgress) -> Void) {
        post { engine in
            let rooms = engine.state.searchRooms
            engine.work.charge(rooms.count * WorkCost.entry)
            done(rooms, SearchProgress(frame: engine.sequence, at: engine.state.lastAt))
        }
    }

    package func readSearchFill(
        of room: SearchRoom, from offset: UInt64, _ done: @escaping @Sendable (SearchFill) -> Void
    ) {
        post { engine in
            engine.state.blocks.beginAttempt()
            let fill = engine.state.searchFill(
                of: room, from: offset, limit: Self.fillLimit, bytes: Self.fillBytes)
            let missing = engine.state.blocks.endAttempt()
            engine.work.charge(WorkCost.command + fill.entries.count * WorkCost.entry)
            if missing.isEmpty { return done(fill) }
            engine.loadBlocks(missing) { engine.readSearchFill(of: room, from: offset, done) }
        }
    }
}

/// The closure of a search that waits. Called on the engine's queue only.
private struct SearchContinuation: @unchecked Sendable {
    let body: (ChatEngine, SearchFindings) -> ChatEngine.Rest?
}

/// Restores the index after a restart: it needs the frames after its last one, if it has followed this log.
struct SearchRestore {
    private let port: any SearchPort
    private let known: SearchProgress?
    /// Whether the index's last frame is in this log.
    private var isFound = false

    /// - Parameters:
    ///   - base: The frame and time of the state before the frames that will be read.
    init(_ port: any SearchPort, base: SearchProgress) {
        self.port = port
        known = port.begin()
        isFound = known == base
    }

    /// - Parameter change: Computes what the records change, before they are applied.
    mutating func append(_ changes: [SearchChange], _ progress: SearchProgress) {
        if isFound {
            port.append(changes, through: progress)
        } else if known == progress {
            isFound = true
        }
    }

    func finish(_ source: any SearchSource) { port.start(readingFrom: source, isBehind: !isFound) }
}
