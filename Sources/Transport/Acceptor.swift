import EventLoops
import Logging

/// A loop's listening socket.
///
/// Confined to its loop's queue.
final class Acceptor: ReadinessHandler {
    /// Connections taken in one call, so that a storm of newcomers does not starve those inside.
    private static let acceptsPerCall = 64
    /// Out of descriptors, the listener is left alone for this long.
    private static let pause = Duration.milliseconds(200)

    private let loop: EventLoop
    private let descriptor: Int32
    private unowned let server: LoopServer
    /// Nil for a listener without TLS.
    private let identity: TLSIdentity?
    private var registration: Registration?

    init(
        _ descriptor: consuming FileDescriptor, on loop: EventLoop, _ server: LoopServer, identity: TLSIdentity? = nil
    ) {
        self.loop = loop
        self.descriptor = descriptor.release()
        self.server = server
        self.identity = identity
    }

    func open() {
        do throws(SystemError) {
            registration = try loop.add(descriptor, interest: [.readable], handler: self)
        } catch {
            server.services.logger.error("listener cannot be watched", metadata: ["error": "\(error)"])
        }
    }

    func ready(_ readiness: Readiness) {
        for _ in 0..<Self.acceptsPerCall {
            switch Sockets.accept(on: descriptor) {
            case .connection(let connection, let peer):
                try? Sockets.setNoDelay(connection.rawValue)
                admit(connection, peer)
            case .wouldBlock: return
            case .exhausted:
                server.services.logger.warning("out of file descriptors")
                return rest()
            case .failed(let error):
                server.services.logger.warning("accept failed", metadata: ["error": "\(error)"])
                return
            }
        }
    }

    private func admit(_ descriptor: consuming FileDescriptor, _ peer: String) {
        let (loop, identity, server, limits) = (loop, identity, server, server.services.limits)
        func socket(_ connection: consuming FileDescriptor) -> any ConnectionSocket {
            guard let identity else { return SystemSocket(connection, on: loop) }
            return TLSSocket(connection, on: loop, identity, of: server)
        }
        guard limits.proxies.contains(peer) else { return _ = server.admit(socket(descriptor), peer: peer) }
        guard limits.proxies.sendHeader else { return _ = server.admit(socket(descriptor), peer: nil) }
        let proxied = ProxiedSocket(descriptor, on: loop, milliseconds: limits.requestMilliseconds, socket)
        let connection = server.admit(proxied, peer: nil)
        proxied.named = { [weak connection] in connection?.isNamed($0) ?? false }
    }

    private func rest() {
        guard let registration else { return }
        loop.setInterest([], for: registration)
        _ = loop.schedule(after: Self.pause) { [weak self] in
            guard let self, let registration = self.registration else { return }
            loop.setInterest([.readable], for: registration)
        }
    }

    func close() {
        guard let registration else { return }
        loop.remove(registration)
        self.registration = nil
        FileDescriptor(owning: descriptor).close()
    }
}
