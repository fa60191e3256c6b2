import EventLoops

/// Where an accepted connection becomes one of a loop's.
struct Admission: Sendable {
    let loop: EventLoop
    unowned let server: LoopServer
    /// Nil for a listener without TLS.
    let identity: TLSIdentity?

    /// On the loop.
    func admit(_ descriptor: consuming FileDescriptor, _ peer: String) {
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
