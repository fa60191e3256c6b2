import ChatEngine
import ChatModel
import DequeModule
import EventLoops
import Gateway
import HTTPCodec
import Logging
import Synchronization
import WebSocketCodec
import WireProtocol

/// One loop's share of the server: its listeners, its connections and their rooms.
///
/// Confined to the loop, except for methods marked as callable from any queue.
package final class LoopServer: @unchecked Sendable {
    /// The reason for closing a connection at the end of the turn.
    enum CloseReason {
        case slow
        /// The socket failed.
        case lost
    }

    package let loop: any ConnectionLoop
    private var served: Services?
    /// The current limits. A connection copies some of them when it starts and reads the others when needed.
    private(set) var limits = ConnectionLimits() {
        didSet { (sessionLimits, outboxLimits) = (Shared(limits.session), Shared(limits.outbox)) }
    }
    private(set) var sessionLimits = Shared(Session.Limits())
    private(set) var outboxLimits = Shared(Outbox.Limits())
    private var serial: UInt64 = 0
    private var connections: [UInt64: ServerConnection] = [:]
    private var adminConnectionCount = 0
    private var closing: [(connection: ServerConnection, reason: CloseReason)] = []
    private var acceptors: [Acceptor] = []
    private lazy var started = loop.now()
    /// Filled and consumed within one call. One read per call bounds the bytes of a turn.
    private let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)
    /// Frames that `ServerConnection.writeTogether` collects. Empty between calls; the memory is kept.
    private var collected: [UInt8] = []
    private var unrequestedBytes = 0
    private static let collectedBytes = 65_536
    private var countedDeliveries: UInt64 = 0
    /// The rest of this turn's `turnBytes`.
    var bytesLeft = ConnectionLimits().turnBytes
    /// Connections that continue in a later turn, each at most once.
    var rounds = FairRounds<FairnessKey, ConnectionID>()
    var isRoundPosted = false
    /// Deliveries that wait for a later turn, in order.
    var backlog: Deque<Delivery> = []
    var isBacklogPosted = false
    /// Whether to wake the engine at the end of this turn.
    private var hasDeferredWake = false
    let encoder = WireEncoder()
    let deliveriesWaiting = Atomic<Int>(0)
    private var whenEmpty: [@Sendable () -> Void] = []

    private(set) lazy var handshakes = LoopHandshakes(
        milliseconds: limits.handshakeMilliseconds, logger: services.logger)

    private(set) lazy var compressor = MessageCompressor(
        limits.compression, metrics: services.metrics.compression)

    private(set) lazy var hub = LoopHub(
        appendFrame: { FrameEncoder.append($1.opcode, payload: $0, to: &$2) },
        compress: { [unowned self] in compressor.frames($0, $1) },
        release: { [unowned self] room, generation in
            services.chat.publisher.release(room, by: loop.index, generation: generation)
        },
        ended: { [unowned self] user in services.chat.engine.detach(user, on: loop.index) })

    package init(loop: any ConnectionLoop) { self.loop = loop }

    deinit { readBuffer.deallocate() }

    var services: Services {
        guard let served else { preconditionFailure("a loop serves only after start") }
        return served
    }

    /// Milliseconds of the loop's own clock.
    var now: Int64 { Int64((loop.now() - started) / .milliseconds(1)) }

    private var dateSecond: Int64 = 0
    private var dateText = ""

    /// The value of the `Date` field, formatted once per second.
    var httpDate: String {
        let second = services.wallClock() / 1_000
        if second != dateSecond || dateText.isEmpty {
            dateSecond = second
            dateText = HTTPDate.text(secondsSince1970: second)
        }
        return dateText
    }

    // MARK: Called from any queue

    package func start(_ services: Services) { loop.post { self.serve(services) } }

    /// Starts accepting connections on a listening socket, which the system's loop polls. The servers must have
    /// started.
    ///
    /// - Parameter places: The servers that get the connections, round robin: this server alone, or all that share the
    ///   socket.
    package func listen(
        _ entrance: Entrance, _ listener: consuming FileDescriptor, on system: EventLoop,
        for places: [(server: LoopServer, loop: EventLoop)]
    ) {
        let raw = listener.release()
        loop.post {
            let admissions = places.map { Admission(loop: $0.loop, server: $0.server, entrance: entrance) }
            let acceptor = Acceptor(
                FileDescriptor(owning: raw), on: system, Admissions(admissions, acceptedOn: system),
                self.services.logger)
            self.acceptors.append(acceptor)
            acceptor.open()
        }
    }

    /// Changes the limits. Running sessions keep those they started with.
    package func adopt(_ limits: ConnectionLimits, _ done: @escaping @Sendable () -> Void) {
        loop.post {
            self.limits = limits
            self.handshakes.milliseconds = limits.handshakeMilliseconds
            done()
        }
    }

    package func deliver(_ batch: [Delivery]) {
        deliveriesWaiting.wrappingAdd(batch.count, ordering: .relaxed)
        loop.lend {
            guard self.backlog.isEmpty else { return self.backlog.append(contentsOf: batch) }
            for (place, delivery) in batch.enumerated() {
                guard self.canHandle(delivery) else {
                    self.backlog.append(contentsOf: batch[place...])
                    self.deliveriesWaiting.wrappingSubtract(place, ordering: .relaxed)
                    return self.postBacklog()
                }
                self.handle(delivery)
            }
            self.deliveriesWaiting.wrappingSubtract(batch.count, ordering: .relaxed)
        }
    }

    package var waitingCount: Int { deliveriesWaiting.load(ordering: .relaxed) }

    /// Defers waking the engine to the end of the current turn; returns false outside a turn.
    package func deferWake() -> Bool {
        guard loop.isInTurn else { return false }
        hasDeferredWake = true
        return true
    }

    /// Stops accepting connections.
    ///
    /// - Parameter completion: Called when every accepted connection has been added or posted to its loop.
    package func stopAccepting(_ completion: @escaping @Sendable () -> Void = {}) {
        loop.post {
            for acceptor in self.acceptors { acceptor.close() }
            self.acceptors = []
            completion()
        }
    }

    /// Closes all connections gracefully, in batches, because disconnected clients immediately reconnect to other
    /// servers.
    ///
    /// - Parameters:
    ///   - milliseconds: The time within which the last one starts closing.
    ///   - completion: Called when the last one is gone.
    package func drain(over milliseconds: Int = 0, _ completion: @escaping @Sendable () -> Void) {
        loop.post {
            self.whenEmpty.append(completion)
            let connections = self.inOrder
            let batches = max(1, milliseconds / Self.drainPauseMilliseconds)
            self.drain(connections[...], batchSize: max(Self.minimumDrainBatch, connections.count / batches + 1))
            self.reportIfEmpty()
        }
    }

    /// The minimum number of connections closed per batch, small enough for their reconnects to go unnoticed.
    private static let minimumDrainBatch = 50
    private static let drainPauseMilliseconds = 100

    private func drain(_ connections: ArraySlice<ServerConnection>, batchSize: Int) {
        for connection in connections.prefix(batchSize) { connection.drain() }
        let rest = connections.dropFirst(batchSize)
        guard !rest.isEmpty else { return }
        _ = loop.schedule(after: .milliseconds(Self.drainPauseMilliseconds)) { [weak self] in
            self?.drain(rest, batchSize: batchSize)
        }
    }

    /// Asks all WebSocket clients to connect to another server, while this one goes on.
    package func sendAway() {
        loop.post {
            for connection in self.inOrder where connection.handler?.isWebSocket == true { connection.drain() }
        }
    }

    package func closeAll() {
        loop.post { for connection in self.inOrder { connection.close() } }
    }

    // MARK: Connections

    /// - Returns: False if the frames do not fit, and must be written separately.
    func collect(_ frames: [UInt8], isAnswer: Bool) -> Bool {
        guard collected.count + frames.count <= Self.collectedBytes else { return false }
        collected += frames
        if !isAnswer { unrequestedBytes += frames.count }
        return true
    }

    /// Passes the collected frames to `body`, with the number of bytes that are events, and drops them.
    func withCollected(_ body: (_ frames: [UInt8], _ unrequested: Int) -> Void) {
        body(collected, unrequestedBytes)
        collected.removeAll(keepingCapacity: true)
        unrequestedBytes = 0
    }

    /// Starts serving, so that connections may be admitted. Must run on the loop.
    package func serve(_ services: Services) {
        loop.assertOnLoop()
        served = services
        limits = services.limits.initial
        bytesLeft = limits.turnBytes
        loop.atEndOfTurn { [unowned self] in self.endTurn() }
    }

    /// Releases everything, because the engine and its loops form a reference cycle. Must run on the loop, and no turn
    /// may follow.
    package func retire() {
        loop.assertOnLoop()
        connections = [:]
        closing = []
        backlog = []
        served = nil
    }

    /// Returns the first connections after the given serial, in order. Scans every connection once. Must run on the
    /// loop.
    func figures(after serial: UInt64, limit: Int) -> [ConnectionFigures] {
        loop.assertOnLoop()
        var first = FirstElements<UInt64>(limit)
        for key in connections.keys where key > serial { first.insert(key) }
        return first.elements.compactMap { connections[$0]?.figures }
    }

    private var inOrder: [ServerConnection] { connections.values.sorted { $0.id.serial < $1.id.serial } }

    /// The result of a read. Its bytes are valid until the next read.
    enum ReadBytes {
        case bytes(UnsafeRawBufferPointer)
        case wouldBlock
        case endOfStream
        case failed(SystemError)
    }

    func read(_ socket: any ConnectionSocket) -> ReadBytes {
        switch socket.read(into: readBuffer) {
        case .bytes(let count): .bytes(UnsafeRawBufferPointer(rebasing: readBuffer[..<count]))
        case .wouldBlock: .wouldBlock
        case .endOfStream: .endOfStream
        case .failed(let error): .failed(error)
        }
    }

    /// - Parameter peer: The address; nil for a trusted proxy that has not named its client yet.
    /// - Returns: Nil when the connection was refused.
    @discardableResult
    package func admit(
        _ socket: any ConnectionSocket, peer: String?, through entrance: Entrance.Kind = .plain
    ) -> ServerConnection? {
        loop.assertOnLoop()
        let entry: CensusEntry?
        do throws(ConnectionCensus.Refusal) {
            entry = try censusEntry(for: peer, entrance)
        } catch {
            services.metrics.refuse(error)
            socket.close()
            return nil
        }
        serial += 1
        let connection = ServerConnection(
            ConnectionID(loop: loop.index, serial: serial), socket, entry, through: entrance, on: self)
        if entrance == .admin { adminConnectionCount += 1 }
        connections[serial] = connection
        services.metrics.accepted.increment()
        services.metrics.open.increment()
        do throws(SystemError) {
            try connection.open()
        } catch {
            services.logger.warning("cannot register a connection with epoll", metadata: ["error": "\(error)"])
            connection.close()
        }
        return connection
    }

    /// - Returns: Nil on the admin listener, which has its own count.
    private func censusEntry(
        for peer: String?, _ entrance: Entrance.Kind
    ) throws(ConnectionCensus.Refusal) -> CensusEntry? {
        if entrance == .admin {
            guard adminConnectionCount < limits.adminConnectionsPerLoop else { throw .admin }
            return nil
        }
        guard connections.count < limits.connectionsPerLoop else { throw .full }
        return try CensusEntry(in: services.limits.census, address: peer)
    }

    /// Returns the connection if it is still open. Results of work done elsewhere reach it this way. Must run on the
    /// loop.
    func connection(_ id: ConnectionID) -> ServerConnection? {
        loop.assertOnLoop()
        return connections[id.serial]
    }

    func remove(_ connection: ServerConnection) {
        connections[connection.id.serial] = nil
        if connection.entrance == .admin { adminConnectionCount -= 1 }
        services.metrics.open.decrement()
        reportIfEmpty()
    }

    private func reportIfEmpty() {
        guard connections.isEmpty, !whenEmpty.isEmpty else { return }
        let completions = whenEmpty
        whenEmpty = []
        for completion in completions { completion() }
    }

    /// Schedules a connection to close at the end of the turn, because rooms may currently be writing to their members.
    func closeAtEndOfTurn(_ connection: ServerConnection, _ reason: CloseReason) {
        closing.append((connection, reason))
    }

    private func endTurn() {
        bytesLeft = limits.turnBytes
        handshakes.beginTurn()
        wakeEngine()
        hub.flush()
        while !closing.isEmpty {
            let batch = closing
            closing = []
            for (connection, reason) in batch {
                switch reason {
                case .slow: connection.disconnectSlowConsumer()
                case .lost: connection.close()
                }
            }
            hub.flush()
        }
        let charges = hub.drainCharges()
        if !charges.isEmpty { services.chat.engine.charge(charges) }
        if hub.deliveryCount != countedDeliveries {
            services.metrics.deliveries.increment(by: Int64(hub.deliveryCount - countedDeliveries))
            countedDeliveries = hub.deliveryCount
        }
        wakeEngine()
    }

    private func wakeEngine() {
        guard hasDeferredWake else { return }
        hasDeferredWake = false
        services.chat.engine.wake()
    }

    // MARK: Deliveries

    func handle(_ delivery: Delivery) {
        switch delivery {
        case .published(let room, let event):
            charge(event.json.count)
            hub.publish(event, in: room)
        case .gained(let user, let grant): hub.gained(user, grant)
        case .lost(let user, let room): hub.lost(user, room)
        case .guestsLost(let room): hub.removeGuests(from: room)
        case .closed(let room): hub.close(room)
        case .disconnected(let user): hub.disconnect(user)
        case .tokensRevoked(let user, let second): hub.disconnect(user, issuedBefore: second)
        case .narrowed(let user, let room, let start): hub.narrow(user, room, visibleFrom: start)
        case .attached(let id, let command, let attachment):
            let isAccepted = webSocket(id) { $0.attached(command, attachment) }
            if !isAccepted { hub.returnGrants(of: attachment) }
        case .subscribed(let id, let command, let result):
            let isAccepted = webSocket(id) { $0.subscribed(command, result) }
            if !isAccepted, case .success(let grant) = result { hub.returnGrants([grant]) }
        case .answered(let id, let command, let answer): connection(id)?.answered(command, answer)
        }
    }

    private func webSocket(_ id: ConnectionID, _ body: (WebSocketHandler) -> Void) -> Bool {
        connection(id)?.with(WebSocketHandler.self, body) ?? false
    }
}
