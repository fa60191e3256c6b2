import Dispatch
import Gateway
import Replication
import Synchronization
import Testing

@testable import Cluster

/// News that every live node must have acted on.
@Suite struct NewsDeliveryTests {
    /// Who is alive, and the time.
    private final class World: Sendable {
        let live: Mutex<[NodeID]>
        let time = Atomic<Int64>(0)

        init(_ nodes: [NodeID]) { live = Mutex(nodes) }
    }

    private final class Scene: Sendable {
        let bus = HandBus()
        let queue = DispatchQueue(label: "node")
        let world: World
        let results = Heard<Bool>()
        let delivery: NewsDelivery

        init(_ nodes: [NodeID]) {
            let world = World(nodes)
            self.world = world
            delivery = NewsDelivery(
                queue, bus, live: { world.live.withLock(\.self) }, clock: { world.time.load(ordering: .relaxed) })
        }

        func send() {
            queue.sync { delivery.send([7]) { self.results.add($0) } }
        }

        /// Answers the requests from this one on.
        func answer(from first: Int = 0, _ reply: BusReply) {
            for request in bus.requests.all.dropFirst(first) { request.done(reply) }
            queue.sync {}
        }
    }

    @Test func `it is done at once without other nodes, and otherwise when all have answered`() {
        let alone = Scene([])
        alone.send()
        #expect(alone.results.all == [true])
        let scene = Scene([bob, node("cid")])
        scene.send()
        #expect(scene.bus.requests.all.map(\.subject) == ["news.bob.1", "news.cid.1"])
        #expect(scene.bus.requests.all.allSatisfy { $0.message == [7] })
        scene.bus.requests.all[0].done(.reply([]))
        scene.queue.sync {}
        #expect(scene.results.all.isEmpty)
        scene.answer(.reply([]))
        #expect(scene.results.all == [true])
    }

    @Test func `a node that does not answer is asked again while it is alive`() throws {
        let scene = Scene([bob])
        scene.send()
        scene.answer(.silence)
        #expect(scene.results.all.isEmpty)
        try wait { scene.bus.requests.all.count == 2 }
        scene.world.live.withLock { $0 = [] }
        scene.answer(from: 1, .nobody)
        #expect(scene.results.all == [true])
    }

    @Test func `it fails when a live node does not answer for 20 s, and when this node ends`() {
        let scene = Scene([bob])
        scene.send()
        scene.world.time.store(20_000, ordering: .relaxed)
        scene.answer(.silence)
        #expect(scene.results.all == [false])
        scene.send()
        scene.queue.sync { scene.delivery.end() }
        #expect(scene.results.all == [false, false])
        scene.answer(.reply([]))
        #expect(scene.results.all == [false, false])
    }
}
