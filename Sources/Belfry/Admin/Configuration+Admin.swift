import ChatEngine
import EventLoops
import Transport

extension Configuration {
    /// The listener for operators. Over plain HTTP, it serves the console, commands, connections, rooms, queues, metrics
    /// and a tail of events. Metrics and health require no key, and the keys for everything else travel unencrypted, so
    /// it binds to loopback addresses only.
    public struct Admin: Sendable, Equatable {
        package static let defaultHost = "127.0.0.1"

        /// A loopback address; nil for 127.0.0.1.
        public var host: String?
        /// Nil disables the listener; 0 picks a free port.
        public var port: UInt16?
        /// Host names of proxies in front of the listener. Other requests must address it by a loopback name.
        public var allowedHosts: [String] = []
        /// The maximum number of concurrent event tails; the server refuses more with 503.
        public var tails = 4
        /// The maximum backlog of one tail in events. Beyond it or `tailBytes`, the tail ends and reports how many
        /// events it missed.
        public var tailEvents = 1_000
        /// The maximum backlog of one tail in bytes.
        public var tailBytes = 4_194_304

        /// Creates options that disable the listener.
        public init() {}

        /// Returns the address to listen on, or nil when the listener is disabled.
        ///
        /// - Throws: For an address that is not loopback, a host without a port, and a limit below 1.
        func address() throws(ConfigurationError) -> (host: String, port: UInt16)? {
            guard tails > 0, tailEvents > 0, tailBytes > 0 else {
                throw ConfigurationError("admin: tails, tailEvents and tailBytes must be at least 1")
            }
            let host = host ?? Self.defaultHost
            guard host == "localhost" || IPAddress(host)?.isLoopback ?? false else {
                throw ConfigurationError(
                    "admin.host must be a loopback address such as 127.0.0.1 or ::1, not \"\(host)\": "
                        + "server keys would travel unencrypted")
            }
            guard let port else {
                guard self.host == nil else { throw ConfigurationError("admin.host needs admin.port") }
                return nil
            }
            return (host, port)
        }

        /// - Throws: For an entry of `allowedHosts` that is not a host name.
        func hostGuard() throws(ConfigurationError) -> AdminGuard {
            guard let hostGuard = AdminGuard(hosts: allowedHosts) else {
                throw ConfigurationError("admin: allowedHosts must be host names without ports")
            }
            return hostGuard
        }

        var tailLimits: EventTails.Limits {
            var limits = EventTails.Limits()
            limits.tails = tails
            limits.waitingEvents = tailEvents
            limits.waitingBytes = tailBytes
            return limits
        }
    }
}
