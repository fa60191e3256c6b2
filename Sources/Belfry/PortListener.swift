import EventLoops
import Transport

/// The listening sockets of one address.
struct PortListener {
    let address: Server.Address
    /// One socket per loop, or a single inherited one for all loops.
    private let sockets: [Int32]
    private let isShared: Bool

    /// Uses the inherited socket if there is one; otherwise binds the address.
    static func open(
        _ socket: Int32?, _ host: String, _ port: UInt16, count: Int
    ) throws(ConfigurationError) -> PortListener {
        if let socket { return PortListener(inherited: socket) }
        return try PortListener(host, port, count: count)
    }

    /// Opens one socket per loop on the same port, so that the kernel distributes new connections and loops need no
    /// handover.
    ///
    /// - Throws: For an address that is invalid or in use.
    private init(_ host: String, _ port: UInt16, count: Int) throws(ConfigurationError) {
        var sockets: [Int32] = []
        do throws(SystemError) {
            // With `SO_REUSEPORT`, a second server could share the port. Listening once without it detects that.
            if port != 0 { try Sockets.listen(host: host, port: port, backlog: 1, reusePort: false).close() }
            var address = Server.Address(host: host, port: port)
            for _ in 0..<count {
                let socket = try Sockets.listen(host: host, port: address.port, backlog: 4_096, reusePort: true)
                if let local = Sockets.localAddress(of: socket.rawValue) {
                    address = Server.Address(host: local.host, port: local.port)
                }
                sockets.append(socket.release())
            }
            self.address = address
            self.sockets = sockets
            isShared = false
        } catch {
            for socket in sockets { FileDescriptor(owning: socket).close() }
            throw ConfigurationError("cannot listen on \(host) port \(port): \(error)")
        }
    }

    private init(inherited socket: Int32) {
        let local = Sockets.localAddress(of: socket)
        address = Server.Address(host: local?.host ?? "", port: local?.port ?? 0)
        sockets = [socket]
        isShared = true
    }

    /// Closes the sockets, unless they have been handed to servers.
    func close() { for socket in sockets { FileDescriptor(owning: socket).close() } }

    /// Starts accepting clients. The servers must have started.
    func accept(on servers: [(server: LoopServer, loop: EventLoop)], _ entrance: Entrance) {
        if isShared, let first = servers.first, let socket = sockets.first {
            return first.server.listen(entrance, FileDescriptor(owning: socket), on: first.loop, for: servers)
        }
        for (each, socket) in zip(servers, sockets) {
            each.server.listen(entrance, FileDescriptor(owning: socket), on: each.loop, for: [each])
        }
    }
}
