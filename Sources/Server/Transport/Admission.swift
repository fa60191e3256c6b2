import EventLoops
import TLS

/// The listener that accepted a connection.
package enum Entrance: Sendable {
    case plain
    case tls(TLSIdentity)
    /// For operators: serves its own routes and none of the chat's.
    case admin

    package enum Kind: String, Sendable {
        case plain, tls, admin
    }

    var kind: Kind {
        switch self {
        case .plain: .plain
        case .tls: .tls
        case .admin: .admin
        }
    }
}

/// Turns an accepted descriptor into one of a loop's connections.
struct Admission: Sendable {
    let loop: EventLoop
    unowned let server: LoopServer
    let entrance: Entrance

    /// Adds the connection. Must run on the loop.
    func admit(_ descriptor: consuming FileDescriptor, _ peer: String) {
        let (loop, entrance, server, limits) = (loop, entrance, server, server.limits)
        func socket(_ connection: consuming FileDescriptor) -> any ConnectionSocket {
            guard case .tls(let identity) = entrance else { return SystemSocket(connection, on: loop) }
            return TLSSocket(connection, on: loop, of: AcceptedHandshake(identity: identity, loop: server.handshakes))
        }
        let kind = entrance.kind
        // The admin listener trusts no proxy, not even one on the same machine.
        guard kind != .admin, limits.proxies.contains(peer) else {
            return _ = server.admit(socket(descriptor), peer: peer, through: kind)
        }
        guard limits.proxies.sendHeader else {
            return _ = server.admit(socket(descriptor), peer: nil, through: kind)
        }
        let proxied = ProxiedSocket(descriptor, on: loop, milliseconds: limits.requestMilliseconds, socket)
        let connection = server.admit(proxied, peer: nil, through: kind)
        proxied.onClientAddress = { [weak connection] in connection?.setClientAddress($0) ?? false }
    }
}

/// Distributes the connections accepted by one loop over all loops, round robin.
///
/// If every loop polled the listening socket, level triggering would wake all of them for each new connection, and
/// nearly all connections would end up on the loop that wakes first. Confined to the queue of the accepting loop.
final class Admissions {
    private let targets: [Admission]
    private let own: EventLoop
    private var next = 0

    init(_ targets: [Admission], acceptedOn loop: EventLoop) {
        self.targets = targets
        own = loop
    }

    func admit(_ descriptor: consuming FileDescriptor, _ peer: String) {
        let target = targets[next]
        next = (next + 1) % targets.count
        guard target.loop !== own else { return target.admit(descriptor, peer) }
        let raw = descriptor.release()
        target.loop.post { target.admit(FileDescriptor(owning: raw), peer) }
    }
}
