import EventLoops

/// The listener that a connection comes through.
package enum Entrance: Sendable {
    case plain
    case tls(TLSIdentity)
    /// For those who run the server: routes of its own, and nothing of the chat.
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

/// Where an accepted connection becomes one of a loop's.
struct Admission: Sendable {
    let loop: EventLoop
    unowned let server: LoopServer
    let entrance: Entrance

    /// On the loop.
    func admit(_ descriptor: consuming FileDescriptor, _ peer: String) {
        let (loop, entrance, server, limits) = (loop, entrance, server, server.limits)
        func socket(_ connection: consuming FileDescriptor) -> any ConnectionSocket {
            guard case .tls(let identity) = entrance else { return SystemSocket(connection, on: loop) }
            return TLSSocket(connection, on: loop, identity, of: server)
        }
        let kind = entrance.kind
        // A proxy on the same machine has nothing to say there.
        guard kind != .admin, limits.proxies.contains(peer) else {
            return _ = server.admit(socket(descriptor), peer: peer, through: kind)
        }
        guard limits.proxies.sendHeader else {
            return _ = server.admit(socket(descriptor), peer: nil, through: kind)
        }
        let proxied = ProxiedSocket(descriptor, on: loop, milliseconds: limits.requestMilliseconds, socket)
        let connection = server.admit(proxied, peer: nil, through: kind)
        proxied.named = { [weak connection] in connection?.isNamed($0) ?? false }
    }
}

/// Hands what one loop accepts to all of them, each in turn.
///
/// Level-triggered, a socket in the poller of every loop would wake them all for each newcomer, and nearly all newcomers
/// would end on the loop that is woken first. Confined to the queue of the loop that accepts.
final class Admissions {
    private let places: [Admission]
    private let own: EventLoop
    private var next = 0

    init(_ places: [Admission], acceptedOn loop: EventLoop) {
        self.places = places
        own = loop
    }

    func admit(_ descriptor: consuming FileDescriptor, _ peer: String) {
        let place = places[next]
        next = (next + 1) % places.count
        guard place.loop !== own else { return place.admit(descriptor, peer) }
        let raw = descriptor.release()
        place.loop.post { place.admit(FileDescriptor(owning: raw), peer) }
    }
}
