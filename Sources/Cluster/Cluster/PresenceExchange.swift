import ChatModel
import Gateway
import Journal
import Replication

/// Tells the other nodes who is connected here, and this node's engine who is connected there. Confined to `queue`.
///
/// A node that has not been heard for three seconds has departed, and its users with it.
final class PresenceExchange: @unchecked Sendable {
    private static let beatMilliseconds = 1_000
    private static let silence: Int64 = 3_000
    private static let requestMilliseconds = 1_000
    private static let usersPerPage = 4_000
    private static let changesPerMessage = 4_000
    /// The greatest number of processes to keep users of.
    private static let nodeLimit = 64

    /// Receives who has come and gone on other nodes.
    typealias Report = @Sendable (_ connected: [UserID], _ disconnected: [UserID]) -> Void

    private let node: NodeID
    private let bus: any Bus
    private let queue: any SerialQueue
    private let report: Report
    private let refused: @Sendable (ClusterBound) -> Void
    /// Milliseconds; never goes back.
    private let clock: @Sendable () -> Int64
    private var users: Set<UserID> = []
    private var count: UInt64 = 0
    private var unsent: [(user: UserID, isConnected: Bool)] = []
    private var isFlushScheduled = false
    private var nodes: [NodeID: RemotePresence] = [:]
    private var lastQuestion = 0
    private var services: [any BusSubscription] = []
    private var isOver = false

    /// - Parameters:
    ///   - queue: A serial queue.
    ///   - refused: Called whenever a bound keeps something out.
    init(
        _ node: NodeID, _ queue: any SerialQueue, _ bus: any Bus, clock: @escaping @Sendable () -> Int64,
        refused: @escaping @Sendable (ClusterBound) -> Void = { _ in }, report: @escaping Report
    ) {
        self.node = node
        self.queue = queue
        self.bus = bus
        self.clock = clock
        self.refused = refused
        self.report = report
    }

    /// Callable from any queue, as all methods that are not private.
    func start() {
        queue.async { [self] in
            services = [
                bus.serve(Subjects.presence) { [weak self] message, _ in
                    guard let self, let proto = ProtoPresenceChanges(encoded: message) else { return }
                    queue.async { self.receive(proto) }
                },
                bus.serve(Subjects.presence(of: node)) { [weak self] message, reply in
                    guard let self, let reply, let question = ProtoPresenceQuestion(encoded: message) else { return }
                    queue.async { reply(self.page(question).encoded) }
                },
            ]
            beat()
        }
    }

    func stop() {
        queue.async { [self] in
            isOver = true
            services = []
        }
    }

    func record(_ user: UserID, isConnected: Bool) {
        queue.async { [self] in
            if isConnected { users.insert(user) } else { users.remove(user) }
            unsent.append((user, isConnected))
            guard !isFlushScheduled else { return }
            isFlushScheduled = true
            // Whatever is recorded meanwhile leaves with it.
            queue.async { self.flush() }
        }
    }

    private func beat() {
        guard !isOver else { return }
        flush(evenIfEmpty: true)
        let now = clock()
        let departed = nodes.filter { now - $0.value.heard > Self.silence }
        for (id, remote) in departed.sorted(by: { $0.key < $1.key }) {
            nodes[id] = nil
            if !remote.users.isEmpty { report([], remote.users.sorted()) }
        }
        queue.after(milliseconds: Self.beatMilliseconds) { [weak self] in self?.beat() }
    }

    private func flush(evenIfEmpty: Bool = false) {
        isFlushScheduled = false
        var rest = unsent[...]
        unsent = []
        var isFirst = evenIfEmpty
        while isFirst || !rest.isEmpty {
            isFirst = false
            let some = rest.prefix(Self.changesPerMessage)
            rest = rest.dropFirst(some.count)
            bus.publish(ProtoPresenceChanges(of: node, before: count, some).encoded, to: Subjects.presence)
            count += UInt64(some.count)
        }
    }

    private func page(_ question: ProtoPresenceQuestion) -> ProtoPresencePage {
        let sorted = users.sorted()
        let after = question.hasAfter ? UserID(question.after) : nil
        let rest = after.map { after in sorted.drop { $0 <= after } } ?? sorted[...]
        var page = ProtoPresencePage()
        // What is not sent yet is in the users already; it comes again as a change.
        page.changes = count
        page.users = rest.prefix(Self.usersPerPage).map(\.rawValue)
        page.isLast = rest.count <= Self.usersPerPage
        return page
    }

    // MARK: Other nodes

    private func receive(_ proto: ProtoPresenceChanges) {
        guard let id = NodeID(proto.node), id != node, !isOver else { return }
        guard nodes[id] != nil || nodes.count < Self.nodeLimit else { return refused(.presence) }
        let changes = RemotePresence.Changes(
            before: proto.before,
            changes: proto.changes.compactMap { change in UserID(change.user).map { ($0, change.connected) } })
        guard changes.changes.count == proto.changes.count else { return }
        let isNew = nodes[id] == nil
        update(id) { $0.receive(changes, at: self.clock()) }
        // A node that has just started need not wait for the next beat to learn who is online here.
        if isNew { flush(evenIfEmpty: true) }
    }

    private func update(_ id: NodeID, _ body: (inout RemotePresence) -> RemotePresence.Difference) {
        var remote = nodes.removeValue(forKey: id) ?? RemotePresence(at: clock())
        let difference = body(&remote)
        let asks = remote.needsQuestion
        if asks {
            lastQuestion += 1
            remote.ask(lastQuestion)
        }
        nodes[id] = remote
        if !difference.isEmpty { report(difference.connected, difference.disconnected) }
        if asks { ask(id, lastQuestion, after: nil) }
    }

    private func ask(_ id: NodeID, _ number: Int, after user: UserID?) {
        var question = ProtoPresenceQuestion()
        if let user { question.after = user.rawValue }
        bus.request(question.encoded, to: Subjects.presence(of: id), milliseconds: Self.requestMilliseconds) { reply in
            self.queue.async { self.answered(id, number, reply) }
        }
    }

    private func answered(_ id: NodeID, _ number: Int, _ reply: BusReply) {
        guard nodes[id]?.isAsking(number) == true else { return }
        guard case .reply(let bytes) = reply, let page = ProtoPresencePage(encoded: bytes) else {
            // Asked again when the node is heard the next time.
            nodes[id]?.giveUp()
            return
        }
        let users = page.users.compactMap { UserID($0) }
        update(id) { $0.receive(page: users, changes: page.changes, isLast: page.isLast || users.isEmpty) }
        // Not if the last page has led to another question.
        if nodes[id]?.isAsking(number) == true, let last = users.last { ask(id, number, after: last) }
    }
}

extension ProtoPresenceChanges {
    fileprivate init(
        of node: NodeID, before: UInt64, _ changes: ArraySlice<(user: UserID, isConnected: Bool)>
    ) {
        self.init()
        self.node = ProtoNode(node)
        self.before = before
        self.changes = changes.map { change in
            var proto = ProtoPresenceChange()
            proto.user = change.user.rawValue
            proto.connected = change.isConnected
            return proto
        }
    }
}
