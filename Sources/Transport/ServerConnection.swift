import ChatModel
import EventLoops
import Gateway
import WireProtocol

/// The protocol a connection currently speaks: HTTP first, then possibly WebSocket.
///
/// Called on the connection's loop only.
protocol ConnectionHandler: AnyObject {
    /// Bytes from the peer, delivered only while the connection reads.
    func receive(_ bytes: UnsafeRawBufferPointer)
    /// Continues with buffered input after an awaited answer.
    func resume()
    func answered(_ command: UInt32, _ answer: Answer)
    /// When to call `tick`, in milliseconds of the loop's clock.
    var nextDeadline: Int64? { get }
    /// Bytes from the peer held because what they belong to is incomplete.
    var heldBytes: Int { get }
    func tick(now: Int64)
    /// Everything written has been sent.
    func emptied()
    var isWebSocket: Bool { get }
    /// The authenticated user, if known.
    var user: UserID? { get }
    /// The server is stopping: close gracefully.
    func drain()
    /// The peer reads too slowly: tell it, if that is still possible.
    func fallenBehind()
}

extension ConnectionHandler {
    func emptied() {}
    var isWebSocket: Bool { true }
}

/// One accepted socket: reads while its handler can take more, writes now or later, closes once.
///
/// Confined to its loop's queue.
package final class ServerConnection: ReadinessHandler, Listener {
    private enum State: Equatable {
        case open
        /// The last message is written; anything the peer still sends is discarded until it closes too.
        case finishing(deadline: Int64)
        case closed
    }

    // The fields a delivery touches come first and together, because delivering to a room of thousands is bound by the
    // memory it walks through.
    private let socket: any ConnectionSocket
    private var state = State.open
    private var outbox: Outbox
    package private(set) var takesCompressed = false
    package private(set) var form = WireForm.json
    package let id: ConnectionID
    package var seats = Seats()
    unowned let server: LoopServer
    private var place: CensusPlace?
    private var unread: UnreadPart
    private var interest: Interest = [.readable]
    private var handler: (any ConnectionHandler)?
    /// The peer has shut down its sending side and may still be reading.
    private var hasPeerEnded = false
    private var stalledSince: Int64?
    private var timer: TimerToken?
    private var timerDeadline: Int64?
    private(set) var isReadingPaused = false
    let entrance: Entrance.Kind
    /// When it was accepted, in milliseconds since 1970.
    private let since: Int64

    /// - Parameter place: Nil for a connection that the census does not count.
    init(
        _ id: ConnectionID, _ socket: any ConnectionSocket, _ place: consuming CensusPlace?,
        through entrance: Entrance.Kind, on server: LoopServer
    ) {
        self.id = id
        self.socket = socket
        self.place = consume place
        self.server = server
        self.entrance = entrance
        since = server.services.wallClock()
        unread = UnreadPart(of: server.services.unread)
        outbox = Outbox(limits: server.limits.outbox)
    }

    func open() throws(SystemError) {
        try socket.open(interest, handler: self)
        if socket.isEstablished { begin() }
    }

    private func begin() {
        handler = HTTPHandler(self)
        reschedule()
    }

    var isOpen: Bool { state == .open }

    var figures: ConnectionFigures {
        ConnectionFigures(
            id: id, entrance: entrance, isWebSocket: handler?.isWebSocket ?? false, user: handler?.user,
            address: address, since: since, subscriptions: seats.rooms.count, queuedBytes: outbox.byteCount)
    }

    /// Raises the outbox limit for a protocol with larger messages than the chat's.
    func allowOutbox(bytes: Int) { outbox.limits.bytes = max(outbox.limits.bytes, bytes) }

    /// Records that permessage-deflate was negotiated. Called before the connection joins a room.
    func allowCompressed() {
        guard !takesCompressed else { return }
        takesCompressed = true
        server.services.metrics.compression.connections.increment()
    }

    /// Sets the negotiated form. Called before the connection joins a room.
    func speak(_ form: WireForm) {
        guard form != self.form else { return }
        self.form = form
        if form == .protobuf { server.services.metrics.protobufConnections.increment() }
    }

    /// Switches to another protocol, which gets the bytes read beyond the last one.
    func handOver(to handler: any ConnectionHandler, unconsumed: [UInt8]) {
        self.handler = handler
        unconsumed.withUnsafeBytes { handler.receive($0) }
        reschedule()
    }

    // MARK: Reading

    package func ready(_ readiness: Readiness) {
        if handler == nil, state == .open, socket.isEstablished { begin() }
        if readiness.isWritable { drainOutbox() }
        if readiness.hasInput { read() }
        reschedule()
    }

    private func read() {
        // A paused connection is only told of its end.
        let result = server.read(socket)
        switch result {
        case .bytes(let bytes):
            guard state == .open else { return }
            handler?.receive(bytes)
            hold()
        case .wouldBlock: break
        case .endOfStream:
            guard !outbox.isEmpty, !hasPeerEnded else { return close() }
            hasPeerEnded = true
            if state == .open { finish([]) } else { setInterest() }
        case .failed: close()
        }
    }

    /// Charges unfinished input and unread output to the byte budget that unauthenticated connections share.
    private func hold() {
        guard isUnauthenticated, place?.hold((handler?.heldBytes ?? 0) + outbox.byteCount) == false else { return }
        server.services.metrics.refuse(.unauthenticatedBytes)
        close()
    }

    /// Sets the client's address as named by a trusted proxy; nil when the connection is the proxy's own.
    ///
    /// - Returns: Whether that address has room for one more connection.
    func isNamed(_ address: String?) -> Bool {
        guard let address, place?.move(to: address) == false else { return true }
        server.services.metrics.refuse(.address)
        return false
    }

    /// Whether a trusted proxy has yet to name the client.
    var isNameless: Bool { place?.isNameless ?? false }

    /// The client's address, if known.
    var address: String? { place?.address }

    /// The peer has shown a valid token or key.
    func authenticate() { place?.authenticate() }

    /// - Returns: Whether the user may have one more session.
    func enter(as user: UserID) -> Bool {
        guard place?.enter(as: user) != true else { return true }
        server.services.metrics.refuse(.user)
        return false
    }

    /// Stops reading while the handler cannot take more, so that TCP flow control stops the peer.
    func pauseReading() {
        guard !isReadingPaused else { return }
        isReadingPaused = true
        setInterest()
    }

    func resumeReading() {
        guard isReadingPaused else { return }
        isReadingPaused = false
        setInterest()
    }

    private func setInterest() {
        var wanted: Interest = []
        if !hasPeerEnded, !isReadingPaused || state != .open { wanted.insert(.readable) }
        if !outbox.isEmpty { wanted.insert(.writable) }
        guard wanted != interest, state != .closed else { return }
        interest = wanted
        socket.setInterest(wanted)
    }

    // MARK: Writing

    package func write(_ frames: [UInt8]) { write(frames, isAnswer: false) }

    package func writeTransient(_ frames: [UInt8]) {
        guard outbox.takesTransient(frames.count) else { return server.services.metrics.transientsDropped.increment() }
        write(frames, isAnswer: false)
    }

    /// - Parameter isAnswer: Whether the peer requested it; it may then be large.
    func write(_ frames: [UInt8], isAnswer: Bool) {
        guard state == .open else { return }
        var sent = 0
        if outbox.isEmpty {
            switch frames.withUnsafeBytes({ socket.write($0) }) {
            case .bytes(let count) where count == frames.count: return
            case .bytes(let count): sent = count
            case .wouldBlock: break
            case .failed: return server.condemn(self, .lost)
            }
        }
        let fill = outbox.append(frames, sent: sent, isAnswer: isAnswer)
        if stalledSince == nil {
            stalledSince = server.now
            reschedule()
        }
        setInterest()
        let mayWait = unread.set(outbox.byteCount, for: handler?.user)
        if fill == .overflowed || !mayWait { server.condemn(self, .slow) }
    }

    var isOutboxEmpty: Bool { outbox.isEmpty }

    /// Whether the handler may produce more answers. When this becomes true again, the handler is resumed.
    var takesAnswers: Bool {
        !outbox.isFull && (!isUnauthenticated || outbox.byteCount <= Self.answersBeforeName)
    }

    /// Bytes of answers that may wait for an unauthenticated peer; a single answer may be larger.
    private static let answersBeforeName = 65_536

    private var isUnauthenticated: Bool { place?.isUnauthenticated ?? false }

    private func drainOutbox() {
        let tookAnswers = takesAnswers
        outbox.drain { bytes in
            switch socket.write(bytes) {
            case .bytes(let count):
                // Trickled reads do not extend an unauthenticated peer's deadline.
                if !isUnauthenticated { stalledSince = server.now }
                // While the peer keeps reading, it is still receiving the last message.
                if case .finishing = state { state = finishing() }
                return count
            case .wouldBlock: return nil
            case .failed:
                server.condemn(self, .lost)
                return nil
            }
        }
        _ = unread.set(outbox.byteCount, for: handler?.user)
        if outbox.isEmpty {
            stalledSince = nil
            if case .finishing = state { socket.shutdownWrite() }
            if hasPeerEnded { server.condemn(self, .lost) }
        }
        setInterest()
        if outbox.isEmpty, state == .open { handler?.emptied() }
        if !tookAnswers, takesAnswers {
            resume()
            hold()
        }
    }

    // MARK: The end

    /// Sends a last message and waits briefly for the peer to close, because a reset would lose the message.
    func finish(_ lastWord: [UInt8]) {
        guard state == .open else { return }
        write(lastWord, isAnswer: true)
        state = finishing()
        server.hub.detach(self)
        if outbox.isEmpty { socket.shutdownWrite() }
        setInterest()
        reschedule()
    }

    private func finishing() -> State {
        .finishing(deadline: server.now + server.limits.lingerMilliseconds)
    }

    /// Ends a slow consumer's connection. Frames not yet begun are dropped; the client can recover them.
    func endAsSlow() {
        guard state == .open else { return }
        server.services.metrics.slow.increment()
        server.services.metrics.outboxBytes.record(outbox.byteCount)
        server.services.logger.notice(
            "slow consumer", metadata: ["connection": "\(id)", "queued_bytes": "\(outbox.byteCount)"])
        outbox.dropUnbegun(hasBegun: socket.hasBegunWrite)
        _ = unread.set(outbox.byteCount, for: handler?.user)
        handler?.fallenBehind()
    }

    func close() {
        guard state != .closed else { return }
        state = .closed
        place = nil
        outbox.dropUnbegun()
        _ = unread.set(0, for: handler?.user)
        server.hub.detach(self)
        if takesCompressed { server.services.metrics.compression.connections.decrement() }
        if form == .protobuf { server.services.metrics.protobufConnections.decrement() }
        if let timer { server.loop.cancel(timer) }
        socket.close()
        handler = nil
        server.forget(self)
    }

    /// A connection whose handshake is incomplete cannot be told anything and just closes.
    func drain() {
        guard let handler else { return close() }
        handler.drain()
    }

    package func oust(_ code: DisconnectCode) { _ = with(WebSocketHandler.self) { $0.ousted(code) } }

    // MARK: Handler

    func answered(_ command: UInt32, _ answer: Answer) {
        handler?.answered(command, answer)
        reschedule()
    }

    func with<Handler: ConnectionHandler>(_ type: Handler.Type, _ body: (Handler) -> Void) -> Bool {
        guard state == .open, let handler = handler as? Handler else { return false }
        body(handler)
        reschedule()
        return true
    }

    /// Lets the handler continue after a pause.
    func resume() {
        guard state == .open else { return }
        handler?.resume()
        reschedule()
    }

    // MARK: Time

    private var nextDeadline: Int64? {
        switch state {
        case .closed: nil
        case .finishing(let deadline): deadline
        case .open:
            [handler?.nextDeadline, stalledSince.map { $0 + server.limits.outbox.stalledMilliseconds }]
                .compactMap(\.self).min()
        }
    }

    private func reschedule() {
        let deadline = nextDeadline
        guard deadline != timerDeadline || timer == nil else { return }
        // Keep a timer that fires too early; it is rescheduled when it fires. Deadlines mostly move later.
        if let deadline, let timerDeadline, timer != nil, timerDeadline <= deadline { return }
        if let timer { server.loop.cancel(timer) }
        timer = nil
        timerDeadline = deadline
        guard let deadline else { return }
        // Capture the id: a weak reference allocates a side table, which every delivery would then pay for.
        timer = server.loop.schedule(after: .milliseconds(max(0, deadline - server.now))) { [server, id] in
            server.connection(id)?.fire()
        }
    }

    private func fire() {
        timer = nil
        timerDeadline = nil
        let now = server.now
        switch state {
        case .closed: return
        case .finishing(let deadline): if now >= deadline { return close() }
        case .open:
            if let stalledSince, now >= stalledSince + server.limits.outbox.stalledMilliseconds {
                server.condemn(self, .slow)
            } else {
                handler?.tick(now: now)
            }
        }
        reschedule()
    }
}
