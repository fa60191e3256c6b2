import EventLoops
import HTTPCodec
import TLS
import WebSocketCodec

/// Receives the events of one connection, on its loop.
protocol ClientConnectionDelegate: AnyObject {
    func opened(_ connection: ClientConnection)
    func received(_ text: [UInt8], on connection: ClientConnection)
    /// Called last, when the connection has ended.
    func ended(_ connection: ClientConnection, _ end: ClientSession.LinkEnd)
}

/// One socket to a server. It connects, negotiates TLS, upgrades, carries frames, and ends once.
///
/// Confined to its loop.
final class ClientConnection: ReadinessHandler {
    private enum State {
        case connecting
        /// The TLS handshake is in progress.
        case securing
        case upgrading
        case open
        /// The close frame was sent. Waits briefly for the server to close, because a reset could discard the frame.
        case finishing
        case closed
    }

    /// The byte budget of a turn: one read per call.
    private static let readBytes = 65_536
    /// More bytes than a session can have in progress.
    private static let outboxBytes = 16_777_216
    private static let linger = Duration.seconds(1)

    private let loop: EventLoop
    private weak var delegate: (any ClientConnectionDelegate)?
    private let handshake: ClientHandshake
    private let host: String
    /// The trust for TLS; nil without TLS.
    private let trust: TLSTrust?
    private let receiveBufferBytes: Int?
    private var descriptor: Int32 = -1
    /// The loop registration, used while connecting.
    private var registration: Registration?
    /// The socket, which owns the descriptor once connected.
    private var socket: (any ConnectionSocket)?
    private var interest: Interest = []
    private var state = State.connecting
    private var decoder = ResponseDecoder()
    private var receiver: WebSocketReceiver
    private var outbox = ByteOutbox()
    /// Generates masking keys, which must be unpredictable. RFC 6455 §5.3.
    private var entropy = SystemEntropy()
    private var isPaused = false
    private var timer: TimerToken?

    /// - Throws: `HandshakeFailure` for a target that is invalid in a request.
    init(
        to address: ServerAddress, trusting trust: TLSTrust?, messageBytes: Int, receiveBufferBytes: Int? = nil,
        on loop: EventLoop, delegate: any ClientConnectionDelegate
    ) throws(HandshakeFailure) {
        self.loop = loop
        self.trust = trust
        self.receiveBufferBytes = receiveBufferBytes
        host = address.host
        self.delegate = delegate
        handshake = try ClientHandshake(
            host: address.authorityHost, port: address.port, path: address.path,
            nonce: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
        receiver = WebSocketReceiver(
            role: .client,
            limits: WebSocketLimits(
                messageBytes: messageBytes, frameBytes: messageBytes, fragmentsPerMessage: 65_536))
    }

    /// Connects to a numeric address. The delegate receives the outcome.
    func open(host: String, port: UInt16) {
        loop.assertOnLoop()
        guard case .connecting = state, registration == nil else { return }
        do throws(SystemError) {
            switch try Sockets.connect(host: host, port: port) {
            case .connected(let socket): descriptor = socket.release()
            case .inProgress(let socket): descriptor = socket.release()
            }
            if let receiveBufferBytes { try Sockets.setReceiveBuffer(receiveBufferBytes, of: descriptor) }
            // An already connected socket is immediately writable.
            registration = try loop.add(descriptor, interest: .writable, handler: self)
        } catch {
            end(.failed("\(error)"))
        }
    }

    /// The local port, for tests; nil when there is no socket.
    var localPort: UInt16? { descriptor < 0 ? nil : Sockets.localAddress(of: descriptor)?.port }

    // MARK: Reading

    func ready(_ readiness: Readiness) {
        switch state {
        case .connecting:
            if let error = Sockets.pendingError(of: descriptor) { return end(.failed("\(error)")) }
            connected()
        case .securing: beginUpgrade()
        case .upgrading, .open, .finishing:
            if readiness.isWritable { drainOutbox() }
            if readiness.contains(.readable) {
                if !isPaused || state == .finishing { read() }
            } else if !readiness.isDisjoint(with: [.hangup, .error]) {
                // Even while reading is paused, because unread events can be recovered.
                end(.failed("the connection was reset"))
            }
        case .closed: break
        }
        setInterest()
    }

    private func connected() {
        try? Sockets.setNoDelay(descriptor)
        guard let socket = connectedSocket() else { return end(.failed("no TLS for \(host)")) }
        if let registration { loop.remove(registration) }
        registration = nil
        self.socket = socket
        state = .securing
        interest = wantedInterest
        do throws(SystemError) {
            try socket.open(interest, handler: self)
        } catch {
            return end(.failed("\(error)"))
        }
        if socket.isEstablished { beginUpgrade() }
    }

    /// Passes the descriptor to a new socket, which owns it from then on.
    private func connectedSocket() -> (any ConnectionSocket)? {
        guard let trust else { return SystemSocket(FileDescriptor(owning: descriptor), on: loop) }
        guard let stream = TLSStream(trust, host: host, socket: descriptor) else { return nil }
        let owner = StartedHandshake(stream: stream, connection: self)
        return TLSSocket(FileDescriptor(owning: descriptor), on: loop, of: owner)
    }

    private func beginUpgrade() {
        state = .upgrading
        write(handshake.bytes)
    }

    private func read() {
        guard let socket else { return }
        withUnsafeTemporaryAllocation(byteCount: Self.readBytes, alignment: 16) { buffer in
            switch socket.read(into: buffer) {
            case .bytes(let count): receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            case .wouldBlock: break
            case .endOfStream: end(.failed("the server ended the stream"))
            case .failed(let error): end(.failed("\(error)"))
            }
        }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .upgrading:
            decoder.feed(bytes)
            upgrade()
        case .open:
            receiver.feed(bytes)
            handleEvents()
        case .connecting, .securing, .finishing, .closed: break
        }
    }

    private func upgrade() {
        do {
            guard case .head(let response, _) = try decoder.next() else { return }
            try handshake.verify(response)
        } catch {
            return end(.failed("the upgrade failed: \(error)"))
        }
        state = .open
        decoder.removeUnconsumed().withUnsafeBytes { receiver.feed($0) }
        delegate?.opened(self)
        handleEvents()
    }

    private func handleEvents() {
        while case .open = state, !isPaused {
            do throws(ProtocolViolation) {
                guard let event = try receiver.next() else { return }
                handle(event)
            } catch {
                sendClose(error.closeCode)
                return end(.failed("protocol violation: \(error)"))
            }
        }
    }

    private func handle(_ event: WebSocketEvent) {
        switch event {
        case .text(let text): delegate?.received(text, on: self)
        case .binary: end(.failed("the server speaks another protocol"))
        case .ping(let payload): writeFrame(.pong, payload)
        case .pong: break
        case .close(let code, let reason):
            sendClose(.normal)
            end(.closed(code: code?.rawValue, reason: String(decoding: reason, as: UTF8.self)))
        }
    }

    /// Stops reading, so that TCP flow control slows the server.
    func pauseReading() {
        isPaused = true
        setInterest()
    }

    /// Resumes reading, starting with events already received.
    func resumeReading() {
        guard isPaused else { return }
        isPaused = false
        handleEvents()
        setInterest()
    }

    // MARK: Writing

    /// Sends one envelope as a text frame.
    func send(_ envelope: [UInt8]) {
        guard case .open = state else { return }
        writeFrame(.text, envelope)
        setInterest()
    }

    private func writeFrame(_ opcode: Opcode, _ payload: [UInt8]) {
        var frame: [UInt8] = []
        let key = MaskingKey(randomBits: .random(in: .min ... .max, using: &entropy))
        FrameEncoder.append(opcode, payload: payload, maskedBy: key, to: &frame)
        write(frame)
    }

    private func write(_ bytes: [UInt8]) {
        var sent = 0
        if outbox.isEmpty, let socket {
            switch bytes.withUnsafeBytes({ socket.write($0) }) {
            case .bytes(let count): sent = count
            case .wouldBlock: break
            case .failed(let error): return end(.failed("\(error)"))
            }
        }
        guard sent < bytes.count else { return }
        guard outbox.byteCount + bytes.count <= Self.outboxBytes else {
            return end(.failed("the server reads too slowly"))
        }
        outbox.append(bytes[sent...])
    }

    private func drainOutbox() {
        guard let socket else { return }
        var failure: SystemError?
        outbox.drain { bytes in
            switch socket.write(bytes) {
            case .bytes(let count): return count
            case .wouldBlock: return nil
            case .failed(let error):
                failure = error
                return nil
            }
        }
        if let failure { end(.failed("\(failure)")) }
    }

    private func setInterest() {
        let wanted = wantedInterest
        guard let socket, wanted != interest else { return }
        interest = wanted
        socket.setInterest(wanted)
    }

    private var wantedInterest: Interest {
        var wanted: Interest = []
        if state == .finishing || !isPaused { wanted.insert(.readable) }
        if !outbox.isEmpty { wanted.insert(.writable) }
        return wanted
    }

    // MARK: Closing

    /// Closes the connection; the delegate is not called again.
    func close() {
        delegate = nil
        guard case .open = state else { return release() }
        sendClose(.normal)
        guard case .open = state else { return }
        state = .finishing
        socket?.shutdownWrite()
        setInterest()
        // The timer keeps the connection alive until then.
        timer = loop.schedule(after: Self.linger) { self.release() }
    }

    /// Closes without a close frame; the delegate is not called again.
    func abort() { release() }

    private func sendClose(_ code: CloseCode) {
        // With a backlog, the close frame would not leave before the socket closes.
        guard outbox.isEmpty, let socket else { return }
        let key = MaskingKey(randomBits: .random(in: .min ... .max, using: &entropy))
        _ = FrameEncoder.close(code, maskedBy: key).withUnsafeBytes { socket.write($0) }
    }

    fileprivate func end(_ end: ClientSession.LinkEnd) {
        if case .closed = state { return }
        let delegate = delegate
        release()
        delegate?.ended(self, end)
    }

    private func release() {
        if case .closed = state { return }
        state = .closed
        if let timer { loop.cancel(timer) }
        timer = nil
        if let registration { loop.remove(registration) }
        registration = nil
        if let socket {
            socket.close()
        } else if descriptor >= 0 {
            FileDescriptor(owning: descriptor).close()
        }
        socket = nil
        descriptor = -1
        delegate = nil
    }
}

/// The client's side of a TLS handshake, covered by the session's connect deadline.
private struct StartedHandshake: TLSHandshakeOwner {
    let stream: TLSStream
    unowned let connection: ClientConnection

    func stream(over socket: Int32) -> TLSStream? { stream }

    var handshakeTimeout: Duration? { nil }

    func claimHandshakeStep() -> Bool { true }

    func handshakeEnded(_ failure: TLSHandshakeFailure?) {
        switch failure {
        case nil: break
        case .peerEnded: connection.end(.failed("the server ended the TLS handshake"))
        case .refused(let failure): connection.end(.failed("no TLS: \(failure)"))
        case .timedOut: connection.end(.failed("the TLS handshake took too long"))
        }
    }
}
