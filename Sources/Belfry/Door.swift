import EventLoops
import Transport

/// The listening sockets of one address.
struct Door {
    let address: Server.Address
    /// One per loop, or a single inherited one for all loops.
    let listeners: [Int32]
    private let isShared: Bool

    /// Uses the inherited socket if there is one; otherwise binds the address.
    static func open(
        _ socket: Int32?, _ host: String, _ port: UInt16, count: Int
    ) throws(ConfigurationError) -> Door {
        if let socket { return Door(inherited: socket) }
        return try Door(host, port, count: count)
    }

    /// Opens one listener per loop on the same port: the kernel distributes new connections, so loops need no
    /// handover.
    ///
    /// - Throws: For an address that is invalid or in use.
    private init(_ host: String, _ port: UInt16, count: Int) throws(ConfigurationError) {
        var listeners: [Int32] = []
        do throws(SystemError) {
            // Listeners with `SO_REUSEPORT` would also share the port with a second server. Listening once
            // without it detects that.
            if port != 0 { try Sockets.listen(host: host, port: port, backlog: 1, reusePort: false).close() }
            var address = Server.Address(host: host, port: port)
            for _ in 0..<count {
                let listener = try Sockets.listen(host: host, port: address.port, backlog: 4_096, reusePort: true)
                if let local = Sockets.localAddress(of: listener.rawValue) {
                    address = Server.Address(host: local.host, port: local.port)
                }
                listeners.append(listener.release())
            }
            self.address = address
            self.listeners = listeners
            isShared = false
        } catch {
            for listener in listeners { FileDescriptor(owning: listener).close() }
            throw ConfigurationError("cannot listen on \(host) port \(port): \(error)")
        }
    }

    /// An inherited listening socket.
    private init(inherited listener: Int32) {
        let local = Sockets.localAddress(of: listener)
        address = Server.Address(host: local?.host ?? "", port: local?.port ?? 0)
        listeners = [listener]
        isShared = true
    }

    /// Starts accepting clients on servers that have started.
    func open(for places: [(server: LoopServer, loop: EventLoop)], _ entrance: Entrance) {
        if isShared, let first = places.first, let listener = listeners.first {
            return first.server.listen(entrance, FileDescriptor(owning: listener), on: first.loop, for: places)
        }
        for (place, listener) in zip(places, listeners) {
            place.server.listen(entrance, FileDescriptor(owning: listener), on: place.loop, for: [place])
        }
    }
}
