import ChatEngine
import EventLoops

extension Configuration {
    /// A listener for operators: connections, rooms, queues, metrics and a tail of events, over plain HTTP. It
    /// requires no key, so it binds to loopback addresses only.
    public struct Admin: Sendable, Equatable {
        package static let defaultHost = "127.0.0.1"

        /// A loopback address; nil means 127.0.0.1.
        public var host: String?
        /// Nil disables the listener; 0 picks a free port.
        public var port: UInt16?
        /// Concurrent tails of events; more are refused with 503.
        public var tails = 4
        /// The backlog of one tail in events. Beyond it or `tailBytes`, the tail ends and reports how many events it
        /// missed.
        public var tailEvents = 1_000
        /// The backlog of one tail in bytes.
        public var tailBytes = 4_194_304

        /// No listener.
        public init() {}

        /// The address to listen on; nil when the listener is disabled.
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
