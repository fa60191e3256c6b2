import ChatEngine
import EventLoops

extension Configuration {
    /// A listener for those who run the server: connections, rooms, queues, metrics and a tail of events, over plain HTTP.
    /// It asks for no key, so it is of the loopback alone.
    public struct Admin: Sendable, Equatable {
        package static let defaultHost = "127.0.0.1"

        /// An address of the loopback; 127.0.0.1 if left out.
        public var host: String?
        /// Nil for no such listener; 0 picks a free one.
        public var port: UInt16?
        /// Tails of events at the same time; one more is refused with 503.
        public var tails = 4
        /// Events that may wait for one tail, and their bytes; beyond it the tail ends and says how many it missed.
        public var tailEvents = 1_000
        public var tailBytes = 4_194_304

        public init() {}

        /// Where to listen; nil for nowhere.
        ///
        /// - Throws: For an address that others can reach, for a host without a port, and for a bound below 1.
        func address() throws(ConfigurationError) -> (host: String, port: UInt16)? {
            guard tails > 0, tailEvents > 0, tailBytes > 0 else {
                throw ConfigurationError("admin: tails, tailEvents and tailBytes must be at least 1")
            }
            let host = host ?? Self.defaultHost
            guard host == "localhost" || IPAddress(host)?.isLoopback ?? false else {
                throw ConfigurationError(
                    "admin.host is \(host) and must be an address of the loopback, as 127.0.0.1 or ::1: "
                        + "the admin listener asks for no key and shows every event")
            }
            guard let port else {
                guard self.host == nil else { throw ConfigurationError("admin.host needs admin.port, too") }
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
