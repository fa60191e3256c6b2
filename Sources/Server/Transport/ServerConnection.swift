import ChatModel
import EventLoops
import Gateway
import WireProtocol

/// One accepted socket. It reads while its handler can accept more, writes now or later, and closes once.
///
/// Confined to its loop.
package final class ServerConnection: ReadinessHandler, Listener {
    private enum State: Equatable {
        case open
        /// The last message is written, and further input is discarded until the peer closes too.
        case finishing(deadline: Int64)
        case closed
    }

    // The fields used by deliveries come first and together, because memory access dominates the cost of delivering to
    // a room of thousands.
    private let socket: any ConnectionSocket
    private var state = State.open
    private var outbox: Outbox
    /// Nil unless output waits for a later turn.
    var late: LateWrites?
    package private(set) var acceptsCompression = false
    package private(set) var form = WireForm.json
    package let id: ConnectionID
    package var hubState = ListenerState()
    unowned let server: LoopServer
    var censusEntry: CensusEntry?
    private var unread: HeldShare
    private var unfinished: HeldShare
    /// Unfinished bytes that are not counted: enough for a request head or an ordinary command.
    private static let uncountedBytes = 4_096
    private var interest: Interest = [.readable]
    var handler: (any ConnectionHandler)?
    /// Whether the connection continues in a later turn, and whether it then continues with its input.
    var isPostponed = false
    var hasLateInput = false
    /// Whether the next write goes ahead of late output.
    var overtakesLate = false
    /// Whether `writeTogether` collects what is written.
    var isCollecting = false
    /// The peer has shut down its sending side and may still be reading.
    private var hasPeerEnded = false
    @OptionalTime private var stalledSince: Int64?
    private var timer: TimerToken?
    @OptionalTime private var timerDeadline: Int64?
    private(set) var isReadingPaused = false
    let entrance: Entrance.Kind
    /// The time it was accepted, in milliseconds since 1970.
    private let since: Int64

    /// - Parameter entry: Nil for a connection that the census does not count.
    init(
        _ id: ConnectionID, _ socket: any ConnectionSocket, _ entry: consuming CensusEntry?,
        through entrance: Entrance.Kind, on server: LoopServer
    ) {
        self.id = id
        self.socket = socket
        censusEntry = consume entry
        self.server = server
        self.entrance = entrance
        since = server.services.wallClock()
        unread = HeldShare(of: server.services.limits.unread)
        unfinished = HeldShare(of: server.services.limits.unfinished)
        outbox = Outbox(limits: server.outboxLimits)
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
            address: address, since: since, subscriptions: hubState.roomCount, queuedBytes: outbox.byteCount)
    }

    /// Raises the outbox limit for a protocol with larger messages than the chat's.
    func raiseOutboxLimit(toBytes bytes: Int) { outbox.limits.bytes = max(outbox.limits.bytes, bytes) }

    /// Records that permessage-deflate was negotiated. Called before the connection joins a room.
    func enableCompression() {
        guard !acceptsCompression else { return }
        acceptsCompression = true
        server.services.metrics.compression.connections.increment()
    }

    /// Sets the negotiated form. Called before the connection joins a room.
    func setForm(_ form: WireForm) {
        guard form != self.form else { return }
        self.form = form
        if form == .protobuf { server.services.metrics.protobufConnections.increment() }
    }

    /// Switches to another protocol, whose handler gets the bytes that were read but not consumed.
    func switchProtocol(to handler: any ConnectionHandler, unconsumed: [UInt8]) {
        self.handler = handler
        unconsumed.withUnsafeBytes { handler.receive($0) }
        settle()
    }

    // MARK: Reading

    package func ready(_ readiness: Readiness) {
        if handler == nil, state == .open, socket.isEstablished { begin() }
        if readiness.isWritable { drainOutbox() }
        if readiness.hasInput { read() }
        settle()
    }

    private func read() {
        // While reading is paused, only the end of the stream is reported.
        let result = server.read(socket)
        switch result {
        case .bytes(let bytes):
            guard state == .open else { return }
            handler?.receive(bytes)
            chargeHeldBytes()
        case .wouldBlock: break
        case .endOfStream:
            guard !outbox.isEmpty, !hasPeerEnded else { return close() }
            hasPeerEnded = true
            if state == .open { finish([]) } else { setInterest() }
        case .failed: close()
        }
    }

    /// Charges unfinished input and unread output to the byte budget that unauthenticated connections share.
    private func chargeHeldBytes() {
        guard isUnauthenticated, censusEntry?.setHeldBytes((handler?.heldBytes ?? 0) + outbox.byteCount) == false
        else { return }
        server.services.metrics.refuse(.unauthenticatedBytes)
        close()
    }

    /// Counts unfinished requests and messages.
    private func countUnfinished() {
        guard let handler else { return }
        let bytes = max(0, handler.heldBytes - Self.uncountedBytes)
        guard bytes != unfinished.bytes else { return }
        let verdict = unfinished.set(bytes, for: handler.holder)
        if verdict != .fits { handler.heldBytesExceeded(verdict) }
    }

    /// Updates the accounting and the timer. Call it after the handler has run, because its held bytes and next
    /// deadline may have changed.
    func settle() {
        countUnfinished()
        reschedule()
    }

    /// Stops reading while the handler cannot accept more, so that TCP flow control slows the peer.
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
        guard late == nil, outbox.acceptsTransient(frames.count) else {
            return server.services.metrics.transientsDropped.increment()
        }
        write(frames, isAnswer: false)
    }

    /// - Parameter isAnswer: Whether the peer requested the output, which may then be large.
    func write(_ frames: [UInt8], isAnswer: Bool) {
        guard state == .open else { return }
        guard late == nil || overtakesLate else { return appendLate(.frames(frames, isAnswer: isAnswer)) }
        overtakesLate = false
        if isAnswer { server.charge(frames.count) }
        if isCollecting {
            if server.collect(frames, isAnswer: isAnswer) { return }
            stopCollecting()
        }
        transmit(frames, unrequested: isAnswer ? 0 : frames.count)
    }

    /// - Parameter unrequested: The number of leading bytes that the peer did not request.
    func transmit(_ frames: [UInt8], unrequested: Int) {
        var sent = 0
        if outbox.isEmpty {
            switch frames.withUnsafeBytes({ socket.write($0) }) {
            case .bytes(let count) where count == frames.count: return
            case .bytes(let count): sent = count
            case .wouldBlock: break
            case .failed: return server.closeAtEndOfTurn(self, .lost)
            }
        }
        let fill = outbox.append(frames, sent: sent, unrequested: unrequested)
        if stalledSince == nil {
            stalledSince = server.now
            reschedule()
        }
        setInterest()
        let verdict = countUnread()
        if fill == .overflowed || verdict != .fits { server.closeAtEndOfTurn(self, .slow) }
    }

    @discardableResult
    func countUnread() -> HeldBytes.Verdict { unread.set(outbox.byteCount + (late?.byteCount ?? 0), for: outputHolder) }

    /// The party charged for unread output. Unauthenticated peers are limited elsewhere.
    private var outputHolder: HeldBytes.Holder? { handler?.user.map { .user($0) } }

    /// Reserves up to `wanted` of the unread bytes that the user may still have, until `body` has written.
    func withReservedUnread(_ wanted: Int, _ body: (_ granted: Int) -> Void) {
        body(unread.reserve(wanted, for: outputHolder))
        unread.release()
    }

    var isOutboxEmpty: Bool { outbox.isEmpty }

    /// Whether the handler may produce more answers. When this becomes true again, the handler resumes.
    var hasRoomForAnswers: Bool {
        !outbox.isFull && (!isUnauthenticated || outbox.byteCount <= Self.unauthenticatedAnswerBytes)
    }

    /// Bytes of unread answers for an unauthenticated peer. A single answer may be larger.
    private static let unauthenticatedAnswerBytes = 65_536

    private var isUnauthenticated: Bool { censusEntry?.isUnauthenticated ?? false }

    private func drainOutbox() {
        let hadRoomForAnswers = hasRoomForAnswers
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
                server.closeAtEndOfTurn(self, .lost)
                return nil
            }
        }
        countUnread()
        if outbox.isEmpty {
            stalledSince = nil
            if case .finishing = state { socket.shutdownWrite() }
            if hasPeerEnded { server.closeAtEndOfTurn(self, .lost) }
        }
        setInterest()
        if outbox.isEmpty, state == .open { handler?.outboxDrained() }
        if !hadRoomForAnswers, hasRoomForAnswers {
            resume()
            chargeHeldBytes()
        }
    }

    // MARK: The end

    /// Sends a last message and waits briefly for the peer to close, because a reset would lose the message.
    func finish(_ lastBytes: [UInt8]) {
        guard state == .open else { return }
        late = nil
        countUnread()
        write(lastBytes, isAnswer: true)
        state = finishing()
        server.hub.detach(self)
        if outbox.isEmpty { socket.shutdownWrite() }
        setInterest()
        reschedule()
    }

    private func finishing() -> State {
        .finishing(deadline: server.now + server.limits.lingerMilliseconds)
    }

    /// Closes the connection of a slow consumer. Frames not yet begun are dropped; the client can recover them.
    func disconnectSlowConsumer() {
        guard state == .open else { return }
        server.services.metrics.slow.increment()
        server.services.metrics.outboxBytes.record(outbox.byteCount)
        server.services.logger.notice(
            "slow consumer", metadata: ["connection": "\(id)", "queued_bytes": "\(outbox.byteCount)"])
        late = nil
        outbox.dropUnstarted(hasBegun: socket.hasBegunWrite)
        countUnread()
        handler?.closeSlowConsumer()
    }

    func close() {
        guard state != .closed else { return }
        state = .closed
        censusEntry = nil
        late = nil
        outbox.dropUnstarted()
        countUnread()
        _ = unfinished.set(0, for: nil)
        server.hub.detach(self)
        if acceptsCompression { server.services.metrics.compression.connections.decrement() }
        if form == .protobuf { server.services.metrics.protobufConnections.decrement() }
        if let timer { server.loop.cancel(timer) }
        socket.close()
        handler = nil
        server.remove(self)
    }

    /// A connection whose handshake is incomplete cannot send a reason, so it just closes.
    func drain() {
        guard let handler else { return close() }
        handler.drain()
    }

    package func disconnect(_ code: DisconnectCode) { _ = with(WebSocketHandler.self) { $0.disconnect(code) } }

    // MARK: Time

    private var nextDeadline: Int64? {
        switch state {
        case .closed: nil
        case .finishing(let deadline): deadline
        case .open:
            if let stalledSince {
                min(stalledSince + server.limits.outbox.stalledMilliseconds, handler?.nextDeadline ?? .max)
            } else {
                handler?.nextDeadline
            }
        }
    }

    private func reschedule() {
        let deadline = nextDeadline
        guard deadline != timerDeadline || timer == nil else { return }
        // Keep a timer that fires too early; it is rescheduled when it fires, and deadlines mostly move later.
        if let deadline, let timerDeadline, timer != nil, timerDeadline <= deadline { return }
        if let timer { server.loop.cancel(timer) }
        timer = nil
        timerDeadline = deadline
        guard let deadline else { return }
        // Capture the id: a weak reference allocates a side table, which would slow down every delivery.
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
                server.closeAtEndOfTurn(self, .slow)
            } else {
                handler?.tick(now: now)
            }
        }
        reschedule()
    }
}
