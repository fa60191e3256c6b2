import Logging
import TLS

/// The server's side of a TLS handshake: its certificate, its deadline, its share of a turn, and what is counted and
/// logged at the end.
struct AcceptedHandshake: TLSHandshakeOwner {
    let identity: TLSIdentity
    unowned let server: LoopServer

    func stream(over socket: Int32) -> TLSStream? { TLSStream(identity.context, socket: socket) }

    var handshakeTimeout: Duration? { Duration.milliseconds(server.limits.handshakeMilliseconds) }

    func claimHandshakeStep() -> Bool { server.claimHandshakeStep() }

    func handshakeEnded(_ failure: TLSHandshakeFailure?) {
        switch failure {
        case nil: identity.metrics.handshakes.increment()
        case .peerEnded: refuse("the peer is gone")
        case .refused(let failure): refuse("\(failure)")
        case .timedOut:
            identity.metrics.timedOut.increment()
            server.services.logger.debug("TLS handshake timed out")
        }
    }

    private func refuse(_ reason: String) {
        identity.metrics.failed.increment()
        server.services.logger.debug("TLS handshake failed", metadata: ["reason": "\(reason)"])
    }
}
