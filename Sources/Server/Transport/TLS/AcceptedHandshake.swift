import Logging
import TLS

/// State shared by the TLS handshakes of one loop: their time limit, the steps of a turn, and the log.
///
/// Confined to its loop.
final class LoopHandshakes {
    /// The number of handshake steps per turn. Each step needs up to a millisecond of arithmetic, so a mass reconnect
    /// after a network outage must not stall open connections.
    private static let stepsPerTurn = 32

    /// Time limit from accepting a connection to the end of its handshake.
    var milliseconds: Int64
    let logger: Logger
    private var stepsLeft = LoopHandshakes.stepsPerTurn

    init(milliseconds: Int64, logger: Logger) {
        self.milliseconds = milliseconds
        self.logger = logger
    }

    func beginTurn() { stepsLeft = Self.stepsPerTurn }

    /// Uses one of the turn's steps.
    ///
    /// - Returns: False when none is left; the loop then reports the socket again.
    func claimStep() -> Bool {
        guard stepsLeft > 0 else { return false }
        stepsLeft -= 1
        return true
    }
}

/// The server's side of a TLS handshake: certificate, deadline, share of a turn, and the metrics and log entry at its
/// end.
struct AcceptedHandshake: TLSHandshakeOwner {
    let identity: TLSIdentity
    let loop: LoopHandshakes

    func stream(over socket: Int32) -> TLSStream? { TLSStream(identity.context, socket: socket) }

    var handshakeTimeout: Duration? { Duration.milliseconds(loop.milliseconds) }

    func claimHandshakeStep() -> Bool { loop.claimStep() }

    func handshakeEnded(_ failure: TLSHandshakeFailure?) {
        switch failure {
        case nil: identity.metrics.handshakes.increment()
        case .peerEnded: refuse("the peer is gone")
        case .refused(let failure): refuse("\(failure)")
        case .timedOut:
            identity.metrics.timedOut.increment()
            loop.logger.debug("TLS handshake timed out")
        }
    }

    private func refuse(_ reason: String) {
        identity.metrics.failed.increment()
        loop.logger.debug("TLS handshake failed", metadata: ["reason": "\(reason)"])
    }
}
