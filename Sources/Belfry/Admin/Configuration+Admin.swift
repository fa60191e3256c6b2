import ChatEngine
import EventLoops

extension Configuration {
    /// The listener for operators. Over plain HTTP, it serves connections, rooms, queues, metrics and a tail of events.
    /// It requires no key, so it binds to loopback addresses only.
    public struct Admin: Sendable, Equatable {
        package static let defaultHost = "127.0.0.1"

        /// A loopback address; nil for 127.0.0.1.
        public var host: String?
        /// Nil disables the listener; 0 picks a free port.
        public var port: UInt16?
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
                        + "the admin listener requires no key and shows every event")
            }
            guard let port else {
                guard self.host == nil else { throw ConfigurationError("admin.host needs admin.port") }
                return nil
            }
            return (host, port)
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
