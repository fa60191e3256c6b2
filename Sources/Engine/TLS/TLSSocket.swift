import EventLoops
import Glibc

/// The owner of a TLS socket, which controls its handshake and learns its result. Called on the loop.
package protocol TLSHandshakeOwner {
    /// Creates the stream when the socket is opened; nil if memory runs out.
    func stream(over socket: Int32) -> TLSStream?
    /// The time limit for the whole handshake; nil for none.
    var handshakeTimeout: Duration? { get }
    /// Claims CPU time for one step of the handshake, which takes up to a millisecond.
    ///
    /// - Returns: False to postpone the step until the loop reports the socket again.
    func claimHandshakeStep() -> Bool
    /// Called once when the handshake ends, before the handler is called; never if the socket is closed first.
    ///
    /// - Parameter failure: The reason for a failure; nil if the handshake is complete.
    func handshakeEnded(_ failure: TLSHandshakeFailure?)
}

/// The reason a handshake failed.
package enum TLSHandshakeFailure {
    case peerEnded
    case refused(TLSFailure)
    case timedOut
}

/// A socket that uses TLS, as a server or a client. Its handler is not called until the handshake completes or fails.
///
/// Confined to its loop. It is `Sendable` only so that it can post to that loop.
package final class TLSSocket: ConnectionSocket, ReadinessHandler, @unchecked Sendable {
    private enum State {
        case handshaking
        case open
        /// The next read or write returns this error.
        case failed(SystemError)
        case closed
    }

    private enum CloseNotify {
        case unsent
        /// Waiting for space in the socket's buffer.
        case pending
        case sent
    }

    /// The maximum number of bytes per write, so that a large response does not delay other connections.
    private static let bytesPerWrite = 262_144

    private let loop: EventLoop
    private let descriptor: Int32
    private let owner: any TLSHandshakeOwner
    private var stream: TLSStream?
    private var registration: Registration?
    private var handler: (any ReadinessHandler)?
    private var deadline: TimerToken?
    private var state = State.handshaking
    private var closeNotify = CloseNotify.unsent
    /// The readiness that the handler is interested in.
    private var wanted: Interest = []
    /// The readiness that a read or write needs to proceed. TLS may need the other direction.
    private var readNeeds: Interest = .readable
    private var writeNeeds: Interest = .writable
    package private(set) var hasBegunWrite = false
    /// Whether OpenSSL may hold bytes that it has already read from the kernel, which therefore does not report them.
    private var hasBuffered = false
    private var isPosted = false

    /// - Parameter descriptor: A non-blocking, connected socket.
    package init(_ descriptor: consuming FileDescriptor, on loop: EventLoop, of owner: any TLSHandshakeOwner) {
        self.loop = loop
        self.descriptor = descriptor.release()
        self.owner = owner
    }

    // MARK: The handshake

    package var isEstablished: Bool { if case .open = state { true } else { false } }

    package func open(_ interest: Interest, handler: any ReadinessHandler) throws(SystemError) {
        guard let stream = owner.stream(over: descriptor) else {
            throw SystemError(operation: "SSL_new", errno: ENOMEM)
        }
        registration = try loop.add(
            descriptor, interest: stream.startsHandshake ? .writable : .readable, handler: self)
        self.stream = stream
        self.handler = handler
        wanted = interest
        guard let limit = owner.handshakeTimeout else { return }
        deadline = loop.schedule(after: limit) { self.expire() }
    }

    private func handshake() {
        guard let stream, owner.claimHandshakeStep() else { return }
        switch stream.handshake() {
        case .done: establish()
        case .needsReadable: watch(.readable)
        case .needsWritable: watch(.writable)
        case .ended: fail(.peerEnded, EPROTO)
        case .failed(let failure): fail(.refused(failure), EPROTO)
        }
    }

    private func establish() {
        endDeadline()
        state = .open
        owner.handshakeEnded(nil)
        // The first request may have arrived together with the end of the handshake.
        hasBuffered = stream?.hasPending ?? false
        handler?.ready([])
        deliverBuffered()
        watch()
    }

    private func expire() {
        deadline = nil
        guard case .handshaking = state else { return }
        fail(.timedOut, ETIMEDOUT)
    }

    private func fail(_ failure: TLSHandshakeFailure, _ code: Int32) {
        endDeadline()
        state = .failed(SystemError(operation: "SSL_do_handshake", errno: code))
        owner.handshakeEnded(failure)
        // Unless the owner has closed the socket, the handler reads, gets the error and closes the socket.
        handler?.ready(.hangup)
    }

    private func endDeadline() {
        if let deadline { loop.cancel(deadline) }
        deadline = nil
    }

    // MARK: Readiness

    /// Whether the loop's interest follows the handler's. After a failure too: otherwise a handler that has paused
    /// reading would be called repeatedly for the same bytes. It gets the error when it resumes.
    private var followsInterest: Bool {
        switch state {
        case .open, .failed: true
        case .handshaking, .closed: false
        }
    }

    package func setInterest(_ interest: Interest) {
        wanted = interest
        guard followsInterest else { return }
        watch()
        deliverLater()
    }

    package func ready(_ readiness: Readiness) {
        switch state {
        case .handshaking: return handshake()
        case .closed: return
        case .open, .failed: break
        }
        if case .pending = closeNotify, readiness.isWritable { sendCloseNotify() }
        var reported = readiness.intersection([.hangup, .error])
        if wanted.contains(.readable), readiness.satisfies(readNeeds) { reported.insert(.readable) }
        if wanted.contains(.writable), readiness.satisfies(writeNeeds) { reported.insert(.writable) }
        if !reported.isEmpty { handler?.ready(reported) }
        deliverLater()
        watch()
    }

    /// Delivers bytes held by OpenSSL in the next turn, as if the kernel had reported them again. Posts nothing while
    /// reading is paused; `setInterest` calls this again when it resumes.
    private func deliverLater() {
        guard hasBuffered, wanted.contains(.readable), !isPosted else { return }
        isPosted = true
        loop.post {
            self.isPosted = false
            self.deliverBuffered()
            self.watch()
        }
    }

    private func deliverBuffered() {
        guard hasBuffered, wanted.contains(.readable) else { return }
        handler?.ready(.readable)
        deliverLater()
    }

    /// Sets the interest required by the next read and write.
    private func watch() {
        guard followsInterest else { return }
        var interest: Interest = []
        if wanted.contains(.readable) { interest.formUnion(readNeeds) }
        if wanted.contains(.writable) { interest.formUnion(writeNeeds) }
        if case .pending = closeNotify { interest.insert(.writable) }
        watch(interest)
    }

    private func watch(_ interest: Interest) {
        if let registration { loop.setInterest(interest, for: registration) }
    }

    // MARK: Bytes

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Sockets.ReadResult {
        hasBuffered = false
        switch state {
        case .handshaking: return .wouldBlock
        case .failed(let error): return .failed(error)
        case .open, .closed: break
        }
        guard let stream else { return .endOfStream }
        readNeeds = .readable
        var filled = 0
        while filled < buffer.count {
            switch stream.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])) {
            case .done(let count):
                filled += count
                if !stream.hasPending { return .bytes(filled) }
            case .needsReadable: return filled > 0 ? .bytes(filled) : .wouldBlock
            case .needsWritable:
                readNeeds = .writable
                return filled > 0 ? .bytes(filled) : .wouldBlock
            case .ended:
                // Return the bytes first; the next read reports the end again.
                hasBuffered = filled > 0
                return filled > 0 ? .bytes(filled) : .endOfStream
            case .failed(let failure):
                let error = recordFailure("SSL_read", failure)
                hasBuffered = filled > 0
                return filled > 0 ? .bytes(filled) : .failed(error)
            }
        }
        hasBuffered = true
        return .bytes(filled)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> Sockets.WriteResult {
        if bytes.isEmpty { return .bytes(0) }
        switch state {
        case .handshaking: return .wouldBlock
        case .failed(let error): return .failed(error)
        case .open, .closed: break
        }
        guard let stream else { return .failed(SystemError(operation: "SSL_write", errno: EPIPE)) }
        writeNeeds = .writable
        var sent = 0
        while sent < min(bytes.count, Self.bytesPerWrite) {
            switch stream.write(UnsafeRawBufferPointer(rebasing: bytes[sent...])) {
            case .done(let count):
                hasBegunWrite = false
                sent += count
            case .needsReadable:
                writeNeeds = .readable
                return stop(after: sent)
            case .needsWritable: return stop(after: sent)
            case .ended: return .failed(SystemError(operation: "SSL_write", errno: EPIPE))
            case .failed(let failure): return .failed(recordFailure("SSL_write", failure))
            }
        }
        return .bytes(sent)
    }

    private func stop(after sent: Int) -> Sockets.WriteResult {
        hasBegunWrite = true
        return sent > 0 ? .bytes(sent) : .wouldBlock
    }

    private func recordFailure(_ operation: String, _ failure: TLSFailure) -> SystemError {
        let error = SystemError(operation: operation, errno: failure.errno == 0 ? EPROTO : failure.errno)
        state = .failed(error)
        return error
    }

    // MARK: The end

    package func shutdownWrite() {
        guard isEstablished, case .unsent = closeNotify else { return }
        sendCloseNotify()
        watch()
    }

    private func sendCloseNotify() {
        switch stream?.endWriting() {
        case .needsWritable, .needsReadable: closeNotify = .pending
        case .done, .ended, .failed, nil:
            closeNotify = .sent
            Sockets.shutdownWrite(descriptor)
        }
    }

    package func close() {
        // Send `close_notify` to the peer, but do not wait if the buffer is full. RFC 8446 §6.1.
        if isEstablished, case .unsent = closeNotify, !hasBegunWrite { _ = stream?.endWriting() }
        endDeadline()
        state = .closed
        handler = nil
        hasBuffered = false
        if let registration { loop.remove(registration) }
        registration = nil
        stream = nil
        FileDescriptor(owning: descriptor).close()
    }
}

extension Readiness {
    fileprivate func satisfies(_ need: Interest) -> Bool {
        need.contains(.readable) && contains(.readable) || need.contains(.writable) && contains(.writable)
    }
}
