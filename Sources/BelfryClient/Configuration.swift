import WireProtocol

extension BelfryClient {
    /// The options of a client.
    public struct Configuration: Sendable {
        /// Which rooms the server subscribes the connection to automatically.
        public enum Subscribe: Sendable {
            /// The inbox and every channel that the user has joined, kept up to date.
            case joined
            /// Only the inbox; subscribe to channels with `subscribe`.
            case none
        }

        /// `ws://host:port/connection/websocket`, or `wss://…`.
        public var url: String
        /// The certificate authorities trusted with `wss`; `nil` uses the system's.
        public var trustedAuthorities: TrustedAuthorities?
        /// Returns a token for the user; called when one is needed, and again before it expires.
        public var token: @Sendable () async throws -> String
        /// Which rooms the server subscribes the connection to automatically.
        public var subscribe = Subscribe.joined
        /// The delays between connection attempts.
        public var backoff = Backoff()
        /// Timeout of a command, from sending it to its answer. A command may wait as long again for a
        /// connection first.
        public var commandTimeout = Duration.seconds(5)
        /// Timeout of a connection attempt, from the first packet to the end of the upgrade.
        public var connectTimeout = Duration.seconds(10)
        /// How late a server ping may be.
        public var maxServerPingDelay = Duration.seconds(10)
        /// Events that may wait in `events`; beyond this the client stops reading until the consumer has caught
        /// up.
        public var undeliveredLimit = 4_096
        /// The largest message that the server accepts, in bytes.
        public var commandBytes = 65_536
        /// The largest message that the client accepts, in bytes.
        public var messageBytes = 16_777_216
        /// The loop to run on; `nil` uses the one shared by all clients of the process.
        public var loop: ClientLoop?
        /// Low-level, for load testers: the size of the kernel's receive buffer in bytes; `nil` uses the
        /// system's default.
        public var receiveBufferBytes: Int?
        /// Low-level, for load testers: called on the client's loop for every publication as it arrives, before
        /// its order is checked and without decoding its JSON. It must be quick.
        public var onPublication: PublicationHook?

        /// Low-level, for load testers: called on the client's loop for every subscription, with the same
        /// values as `ClientEvent.subscribed`. It must be quick.
        public var onSubscribed: (@Sendable (_ room: String, _ recovered: Bool, _ wasRecovering: Bool) -> Void)?

        /// Receives a publication.
        ///
        /// - Parameters:
        ///   - room: The channel's id, or `#` and a user id.
        ///   - offset: 0 for transient events.
        ///   - data: The event as JSON.
        public typealias PublicationHook = @Sendable (_ room: String, _ offset: UInt64, _ data: [UInt8]) -> Void

        /// Creates a configuration with defaults.
        public init(url: String, token: @escaping @Sendable () async throws -> String) {
            self.url = url
            self.token = token
        }
    }
}

extension BelfryClient.Configuration {
    var sessionSettings: ClientSession.Settings {
        var settings = ClientSession.Settings()
        settings.subscribe =
            switch subscribe {
            case .joined: .joined
            case .none: .none
            }
        settings.commandMilliseconds = commandTimeout.wholeMilliseconds
        settings.openMilliseconds = connectTimeout.wholeMilliseconds
        settings.pingDelayMilliseconds = maxServerPingDelay.wholeMilliseconds
        settings.commandBytes = max(1, commandBytes)
        return settings
    }
}
