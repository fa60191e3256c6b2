import ChatEngine
import Gateway

/// Divides a turn's byte budget among connections and defers the remaining work to later turns.
extension LoopServer {
    /// The maximum number of connections served per turn, however little each needs.
    private static let maxConnectionsPerTurn = 64

    /// The largest room, in members on this loop, whose deliveries another loop's thread handles instead of waking this
    /// loop.
    private static let maxMembersInBorrowedTurn = 64

    /// The unit of fair scheduling: a user, an address, or one connection of the backend.
    enum FairnessKey: Hashable {
        case holder(HeldBytes.Holder)
        case connection(ConnectionID)
    }

    /// Whether this turn may still start large pieces of work.
    var hasBytesLeft: Bool { bytesLeft > 0 }

    func charge(_ bytes: Int) { bytesLeft -= bytes }

    /// Lets a connection continue in a later turn. The caller must not postpone it again until it has been served.
    func postpone(_ connection: ServerConnection, of key: FairnessKey) {
        rounds.append(connection.id, of: key)
        postRound()
    }

    private func postRound() {
        guard !isRoundPosted else { return }
        isRoundPosted = true
        loop.post { self.serveRound() }
    }

    /// Returns whether this turn may handle a delivery. Answers never block the deliveries queued after them: once the
    /// budget is spent, each connection postpones its own answers to a fair later turn.
    func canHandle(_ delivery: Delivery) -> Bool {
        switch delivery {
        case .answered: true
        case .published(let room, _) where loop.isLent:
            hasBytesLeft && hub.memberCount(of: room) <= Self.maxMembersInBorrowedTurn
        default: hasBytesLeft
        }
    }

    /// Whether a connection with this key is waiting for a turn; other work for the key must not overtake it.
    func isWaiting(_ key: @autoclosure () -> FairnessKey) -> Bool { !rounds.isEmpty && rounds.contains(key()) }

    private func serveRound() {
        isRoundPosted = false
        for _ in 0..<Self.maxConnectionsPerTurn {
            guard hasBytesLeft, let id = rounds.next() else { break }
            connection(id)?.resumePostponed()
        }
        if !rounds.isEmpty { postRound() }
    }

    /// Schedules a turn that handles as many waiting deliveries as its budget allows.
    func postBacklog() {
        guard !isBacklogPosted else { return }
        isBacklogPosted = true
        loop.post {
            self.isBacklogPosted = false
            var count = 0
            while let delivery = self.backlog.first, self.canHandle(delivery) {
                self.backlog.removeFirst()
                self.handle(delivery)
                count += 1
            }
            self.deliveriesWaiting.wrappingSubtract(count, ordering: .relaxed)
            if !self.backlog.isEmpty { self.postBacklog() }
        }
    }
}
