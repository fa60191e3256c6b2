import EventLoops
import Glibc
import Logging
import Transport

/// A server's loops and listening sockets.
struct Network {
    let loops: [EventLoop]
    /// One per loop.
    let servers: [LoopServer]
    let plain: PortListener
    let tls: PortListener?
    let admin: PortListener?

    /// Creates the loops and opens the configured listeners, without accepting connections yet.
    ///
    /// - Throws: When an address is invalid or in use. In that case nothing stays open.
    static func open(_ configuration: Configuration) throws(ConfigurationError) -> Network {
        let count = configuration.loopCount ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        var loops: [EventLoop] = []
        var opened: [PortListener] = []
        do throws(ConfigurationError) {
            do throws(SystemError) {
                for index in 0..<count {
                    loops.append(try EventLoop(label: "belfry.loop.\(index)", index: index))
                }
            } catch {
                throw ConfigurationError("cannot create the event loops: \(error)")
            }
            let sockets = configuration.sockets
            let plain = try PortListener.open(sockets.plain, configuration.host, configuration.port, count: count)
            opened.append(plain)
            let tls = try configuration.tls.map { (tls) throws(ConfigurationError) in
                try PortListener.open(sockets.tls, tls.host ?? configuration.host, tls.port, count: count)
            }
            if let tls { opened.append(tls) }
            let admin = try configuration.admin.address().map { (address) throws(ConfigurationError) in
                try PortListener.open(nil, address.host, address.port, count: count)
            }
            return Network(
                loops: loops, servers: loops.map { LoopServer(loop: $0) }, plain: plain, tls: tls, admin: admin)
        } catch {
            // Clean up, because the embedding process may continue and a loop runs until it is shut down.
            for listener in opened { listener.close() }
            for loop in loops { loop.shutdown {} }
            throw error
        }
    }

    /// Starts accepting clients. The servers must have started.
    ///
    /// - Parameter identity: The certificate of the TLS listener; nil without one.
    func accept(with identity: TLSIdentity?) {
        let serving = zip(servers, loops).map { (server: $0, loop: $1) }
        plain.accept(on: serving, .plain)
        if let identity { tls?.accept(on: serving, .tls(identity)) }
        admin?.accept(on: serving, .admin)
    }

    /// Closes the listeners of a server that never accepted connections.
    func closeListeners() {
        for listener in [plain, tls, admin].compactMap(\.self) { listener.close() }
    }

    func logAddresses(to logger: Logger) {
        logger.notice(
            "listening",
            metadata: [
                "host": "\(plain.address.host)", "port": "\(plain.address.port)", "loops": "\(loops.count)",
            ])
        if let address = tls?.address {
            logger.notice("listening with TLS", metadata: ["host": "\(address.host)", "port": "\(address.port)"])
        }
        if let address = admin?.address {
            logger.notice(
                "listening for operators", metadata: ["host": "\(address.host)", "port": "\(address.port)"])
        }
    }
}
