import ChatModel
import Gateway
import Journal
import Replication
import Transport

/// A chat on several whole servers that share a log, all derived from one seed.
///
/// The servers take turns on the simulator's thread, a few simulated milliseconds apart. In between, the timeline runs what
/// the nodes' queues, the log store and the bus do.
package final class ClusterSimulator: Crowd {
    static let cluster = "simulated.1"
    private static let names = ["ann", "bob", "cid", "dan", "eve", "fay", "gus"]
    package static let nodeLimit = names.count

    package let seed: UInt64
    package let options: SimulatorOptions
    let recorder = Recorder()
    let timeline = Timeline()
    /// The true time, as clients know it.
    let clock = SimulatedClock(now: 1_780_000_000_000)
    var random: SplitMix
    let store: SimulatedLogStore
    let bus: SimulatedBus
    let log: SharedLog
    private(set) var nodes: [SimulatedNode] = []
    var clients: [SimulatedClient] = []
    var backend: SimulatedBackend
    var awaited: [UInt32: UserID] = [:]
    var known = Knowledge()
    var writer = CommandWriter()
    let profile: ClusterProfile
    private let limits: ConnectionLimits
    /// Whether everything works, and whatever arrives is handled at once.
    var isCalm = false
    /// When a client last received anything, on the timeline.
    var lastRead: Int64 = 0
    /// Whether a server refused to start.
    private(set) var isBroken = false

    package init(seed: UInt64, options: SimulatorOptions) {
        self.seed = seed
        random = SplitMix(seed: seed)
        backend = SimulatedBackend(seed: seed)
        var options = options
        if random.chance(percent: 25) { options.eventsPerRoom = 4 }
        if random.chance(percent: 40) {
            options.keptFrames = random.pick([3, 40])
            options.keptBytes = random.pick([0, 5_000, .max])
        }
        options.isScarce = random.chance(percent: 15)
        let count = min(max(2, options.nodes), Self.nodeLimit)
        profile = ClusterProfile(&random, nodes: count)
        var limits = ConnectionLimits(&random)
        if options.isScarce { limits.turnBytes = 200 }
        // Otherwise, few replies would tell how far a node is.
        if random.chance(percent: 50) { limits.connectReplyBytes = ConnectionLimits().connectReplyBytes }
        options.recoversInParts =
            options.isScarce || limits.connectReplyBytes < ConnectionLimits().connectReplyBytes
        self.options = options
        self.limits = limits
        store = SimulatedLogStore(timeline: timeline, seed: random.next())
        bus = SimulatedBus(timeline: timeline, seed: random.next())
        log = SharedLog(cluster: Self.cluster, recorder)
        for index in 0..<count {
            nodes.append(
                SimulatedNode(
                    index, Self.names[index], clockOffset: profile.clockOffsets[index],
                    disk: SimulatedDisk(seed: random.next())))
        }
        let people = [Knowledge.people[0]] + Knowledge.people
        clients = people.enumerated().map { index, user in
            SimulatedClient(
                index: index, user: user, loop: index % SimulatedServer.loopCount, recorder: recorder, clock: clock,
                random: SplitMix(seed: random.next()))
        }
    }

    package func run() -> SimulationResult {
        recorder.record(.began([], wasUnclean: false, cutBytes: 0))
        store.observe = { [log] in log.receive($0) }
        if let node = NodeID(name: "founder", start: 1) {
            let genesis = LogMessage.genesis(cluster: Self.cluster, by: node, after: 0)
            _ = store.append(genesis.encoded(), expecting: 0, id: "genesis")
        }
        for node in nodes { begin(node) }
        run(milliseconds: 1_000)
        beginFaults()
        for _ in 0..<options.steps where !isBroken { step() }
        if !isBroken { finish() }
        for node in nodes { end(node, .killed) }
        store.observe = { _ in }
        timeline.clear()
        return SimulationResult(seed: seed, options: options, traceHash: recorder.traceHash, history: recorder.history)
    }

    // MARK: Lives

    /// Starts a server on a node's disk.
    func begin(_ node: SimulatedNode) {
        node.starts += 1
        node.erasure.restart()
        guard let id = NodeID(name: node.name, start: node.starts) else { return }
        let (store, bus) = node.connect(store, bus)
        let clock = SimulatedClock(now: clock.now + node.clockOffset)
        let (recorder, index) = (recorder, node.index)
        let seat = SimulatedSeat(
            id: id, cluster: Self.cluster, timeline: timeline, store: store, bus: bus,
            messageLimit: profile.messageLimit,
            failed: { [unowned node] failure in
                node.failure = SimulatedNode.Failure(reason: "\(failure)", isExpected: failure.isExpected)
            },
            readsLocally: { recorder.record(.cluster(.readsLocally(index))) { $0.add(UInt64(index)) } })
        do {
            let server = try SimulatedServer(
                node.disk, clock: clock, recorder: recorder, frames: Recorder(), options: options, limits: limits,
                life: seed &* 1_000 &+ UInt64(index + 1) &* 100_000 &+ node.starts, seat: seat)
            let found = server.found(log.frames)
            recorder.record(.cluster(.nodeBegan(index, found.frames, wasUnclean: server.report.wasUnclean))) {
                $0.add(UInt64(found.frames.count))
            }
            (node.server, node.clock, node.began) = (server, clock, timeline.now)
            guard !found.isWhole else { return }
            isBroken = true
            recorder.record(.refused("replaying the snapshot and the frames after it gives a different state"))
        } catch JournalError.disk(let error) {
            store.close()
            bus.close()
            recorder.record(.cluster(.nodeStartFailed(index))) { $0.add("\(error)") }
            node.disk = node.disk.crashed()
            node.nextStart = timeline.now + 200
        } catch {
            isBroken = true
            recorder.record(.refused("\(error)")) { $0.add("\(error)") }
        }
    }

    /// Ends a node's server. Its clients notice.
    func end(_ node: SimulatedNode, _ end: History.End) {
        guard node.server != nil else { return }
        node.die()
        for client in clients where client.node == node.index && client.state != .away {
            client.link?.reset()
            for answer in client.read() { known.learn(answer.request, answer.message) }
            if client.state != .away { client.leave(.silently) }
        }
        for (number, _) in sent.filter({ $0.value == node.index }) { (sent[number], awaited[number]) = (nil, nil) }
        switch end {
        case .powerCut: node.disk = node.disk.crashed()
        case .killed: node.disk = node.disk.killed()
        case .closed: node.disk = random.chance(percent: 50) ? node.disk.crashed() : node.disk.killed()
        }
        recorder.record(.cluster(.nodeEnded(node.index, end))) { hash in
            for (name, bytes) in node.disk.files {
                hash.add(name)
                hash.add(bytes)
            }
        }
        node.nextStart = timeline.now + Int64(random.pick([0, 50, 500, 3_000, 8_000]))
    }

    // MARK: Clients

    /// The number of queries that the backend has sent. They are numbered apart from its commands.
    var queries: UInt32 = 0
    static let firstQuery: UInt32 = 1_000_000
    /// The backend's unanswered commands, and the nodes that they were sent to.
    var sent: [UInt32: Int] = [:]

    /// Connects a client to a node, if one takes clients.
    func connect(_ client: SimulatedClient, _ place: Void) {
        let open = nodes.filter(\.acceptsClients)
        let ready = open.filter(\.isReady)
        var choice = ready.isEmpty || random.chance(percent: 10) ? open : ready
        if choice.count > 1, random.chance(percent: profile.hopPercent) {
            choice.removeAll { $0.index == client.node }
        }
        guard !choice.isEmpty else { return }
        let node = random.pick(choice)
        guard let server = node.server else { return }
        client.node = node.index
        recorder.record(.cluster(.clientOpened(client: client.index, node: node.index))) {
            $0.add(UInt64(node.index))
        }
        let link = SimulatedLink(&random, recorder: recorder)
        client.connect(link)
        server.accept(link, on: client.loop)
    }
}

extension ReplicaFailure {
    /// Whether a node may leave for this reason although no node has a fault.
    fileprivate var isExpected: Bool {
        switch self {
        case .deposed, .nameTaken: true
        case .log, .diverged, .otherEvents, .aheadOfLog, .unreadableFrame, .newerRecords: false
        }
    }
}

/// What distinguishes the seeds of simulated clusters.
struct ClusterProfile {
    /// How far each node's clock is ahead, in milliseconds.
    var clockOffsets: [Int64]
    /// Whether all clocks are within a second of the right time.
    var hasGoodClocks: Bool { clockOffsets.allSatisfy { $0.magnitude < 1_000 } }
    /// The chance in percent that a fault begins or ends in a step.
    var troublePercent: Int
    /// The chance in percent that a returning client uses another node.
    var hopPercent: Int
    /// Whether clients leave after each event.
    var hopsAfterEvents: Bool
    var storeFaults: SimulatedLogStore.Faults
    var busFaults: SimulatedBus.Faults
    /// The greatest size of a log message in bytes; small, so that large frames travel in parts.
    var messageLimit: Int

    init(_ random: inout SplitMix, nodes count: Int) {
        clockOffsets = Array(repeating: 0, count: count)
        switch random.below(10) {
        case 0..<5: clockOffsets = clockOffsets.map { _ in Int64(random.below(900)) - 450 }
        case 5, 6: clockOffsets[random.below(count)] = random.pick([-3_600_000, 3_600_000, 1_500, -1_500])
        default: break
        }
        troublePercent = random.pick([0, 5, 15, 15, 30])
        hopPercent = random.pick([0, 50, 100])
        hopsAfterEvents = random.chance(percent: 20)
        storeFaults = random.chance(percent: 50) ? .none : SimulatedLogStore.Faults(using: &random)
        busFaults = random.chance(percent: 50) ? .none : SimulatedBus.Faults(using: &random)
        messageLimit = random.pick([2_000, 10_000, LogMessage.sizeLimit])
    }
}
