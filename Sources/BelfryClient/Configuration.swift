import WireProtocol

extension BelfryClient {
    /// The options of a client.
    public struct Configuration: Sendable {
        /// The rooms that the server automatically subscribes the connection to.
        public enum Subscribe: Sendable {
            /// The user's inbox and every channel the user has joined, kept up to date.
            case joined
            /// Only the inbox; subscribe to channels with `subscribe`.
            case none
        }

        /// The URLs of the server's nodes: `ws://host:port/connection/websocket`, or `wss://…`. 1 to 64 different ones,
        /// either all `ws` or all `wss`.
        ///
        /// Each client tries them in a random order of its own. When a connection fails or ends, it moves on to the
        /// next URL after less than `backoff.minimum`; only when all of them have failed does it wait for the backoff.
        public var urls: [String]
        /// The first of `urls`. Setting it replaces all of them.
        public var url: String {
            get { urls.first ?? "" }
            set { urls = [newValue] }
        }
        /// The certificate authorities trusted with `wss`; `nil` for the system's.
        public var trustedAuthorities: TrustedAuthorities?
        /// Returns a token for the user. Called when the client needs one, and again before it expires.
        public var token: @Sendable () async throws -> String
        /// The rooms that the server automatically subscribes the connection to.
        public var subscribe = Subscribe.joined
        /// The delays between connection attempts; with several URLs, between rounds of attempts.
        public var backoff = Backoff()
        /// Timeout of a command, from sending it to receiving its answer. Before that, a command may wait just as long
        /// for a connection.
        public var commandTimeout = Duration.seconds(5)
        /// Timeout of an attempt to connect to one URL, from the first packet to the end of the upgrade.
        public var connectTimeout = Duration.seconds(10)
        /// How late a server ping may be before the client reconnects.
        public var maxServerPingDelay = Duration.seconds(10)
        /// The maximum number of events waiting in `events`. Beyond this, the client stops reading until the consumer
        /// has caught up.
        public var undeliveredLimit = 4_096
        /// The largest message that the server accepts, in bytes.
        public var commandBytes = 65_536
        /// The largest message that the client accepts, in bytes.
        public var messageBytes = 16_777_216
        /// The loop to run on; `nil` for the one that all clients of the process share.
        public var loop: ClientLoop?
        /// The size of the kernel's receive buffer in bytes; `nil` for the system's default. Low-level, for load
        /// testers.
        public var receiveBufferBytes: Int?
        /// Called on the client's loop before each connection attempt, with its URL, for metrics and logs. Must be
        /// quick.
        public var onAttempt: (@Sendable (_ url: String) -> Void)?
        /// Called on the client's loop for every publication as it arrives, before the client checks its order and
        /// without decoding its JSON. Must be quick. Low-level, for load testers.
        public var onPublication: PublicationHook?

        /// Called on the client's loop for every subscription, with the same values as `ClientEvent.subscribed`. Must
        /// be quick. Low-level, for load testers.
        public var onSubscribed: (@Sendable (_ room: String, _ recovered: Bool, _ wasRecovering: Bool) -> Void)?

        /// Receives a publication.
        ///
        /// - Parameters:
        ///   - room: The channel's id, or `#` and a user id.
        ///   - offset: 0 for transient events.
        ///   - data: The event as JSON.
        public typealias PublicationHook = @Sendable (_ room: String, _ offset: UInt64, _ data: [UInt8]) -> Void

        /// Creates a configuration with default values.
        public init(url: String, token: @escaping @Sendable () async throws -> String) {
            self.init(urls: [url], token: token)
        }

        /// Creates a configuration with default values, for a server of several nodes.
        public init(urls: [String], token: @escaping @Sendable () async throws -> String) {
            self.urls = urls
            self.token = token
        }
    }
}

extension BelfryClient.Configuration {
    func sessionSettings(urls: [String]) -> ClientSession.Settings {
        var settings = ClientSession.Settings()
        settings.urls = urls
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
