import Dispatch
import Gateway
import Journal
import Replication

/// Tells every live node something, and waits until each has acted on it. Confined to the node's queue.
final class NewsDelivery: @unchecked Sendable {
    private static let requestMilliseconds = 1_000
    private static let pauseMilliseconds = 100
    /// How long a live node that does not answer is asked, in milliseconds. By then it has closed its sessions.
    private static let patience: Int64 = 20_000

    /// News on its way.
    private struct Item {
        let message: [UInt8]
        let deadline: Int64
        /// Who has not answered.
        var waiting: Set<NodeID>
        let done: @Sendable (Bool) -> Void
    }

    private let queue: any SerialQueue
    private let bus: any Bus
    private let live: @Sendable () -> [NodeID]
    /// Milliseconds; never goes back.
    private let clock: @Sendable () -> Int64
    /// Bounded by the commands in flight.
    private var items: [UInt64: Item] = [:]
    private var lastItem: UInt64 = 0

    /// - Parameter live: The other nodes that are alive. Called on the queue.
    init(
        _ queue: any SerialQueue, _ bus: any Bus, live: @escaping @Sendable () -> [NodeID],
        clock: @escaping @Sendable () -> Int64
    ) {
        self.queue = queue
        self.bus = bus
        self.live = live
        self.clock = clock
    }

    /// - Parameter done: Called once, when all have answered or departed; with false if one of them takes too long.
    func send(_ message: [UInt8], _ done: @escaping @Sendable (Bool) -> Void) {
        let nodes = live()
        guard !nodes.isEmpty else { return done(true) }
        lastItem += 1
        items[lastItem] = Item(
            message: message, deadline: clock() + Self.patience, waiting: Set(nodes), done: done)
        for node in nodes { ask(node, lastItem) }
    }

    func end() {
        let waiting = items.sorted { $0.key < $1.key }
        items = [:]
        for (_, item) in waiting { item.done(false) }
    }

    private func ask(_ node: NodeID, _ number: UInt64) {
        guard let item = items[number] else { return }
        bus.request(item.message, to: Subjects.news(to: node), milliseconds: Self.requestMilliseconds) { reply in
            self.queue.async { self.answered(node, number, reply) }
        }
    }

    private func answered(_ node: NodeID, _ number: UInt64, _ reply: BusReply) {
        guard let item = items[number] else { return }
        if case .reply = reply { return finish(node, number) }
        guard live().contains(node) else { return finish(node, number) }
        guard clock() < item.deadline else {
            items[number] = nil
            return item.done(false)
        }
        queue.after(milliseconds: Self.pauseMilliseconds) { self.ask(node, number) }
    }

    private func finish(_ node: NodeID, _ number: UInt64) {
        items[number]?.waiting.remove(node)
        guard let item = items[number], item.waiting.isEmpty else { return }
        items[number] = nil
        item.done(true)
    }
}
