import WireProtocol

extension BelfryClient {
    public struct Configuration: Sendable {
        /// What the server subscribes a connection to by itself.
        public enum Subscribe: Sendable {
            /// The inbox and every channel the user is a member of, kept in step.
            case joined
            /// The inbox only; channels are named with `subscribe`.
            case none
        }

        /// `ws://host:port/connection/websocket`, or `wss://…`.
        public var url: String
        /// Whose certificates are believed with `wss`; `nil` for those that the system trusts.
        public var trustedAuthorities: TrustedAuthorities?
        /// Gives a token of the user; asked when one is needed, and again before it expires.
        public var token: @Sendable () async throws -> String
        public var subscribe = Subscribe.joined
        public var backoff = Backoff()
        /// From sending a command to its answer; as long again, before, for a connection to come.
        public var commandTimeout = Duration.seconds(5)
        /// From the first packet to the end of the upgrade.
        public var connectTimeout = Duration.seconds(10)
        /// How late a ping of the server may be.
        public var maxServerPingDelay = Duration.seconds(10)
        /// Events that wait in `events`; beyond it the client stops reading until the consumer has caught up.
        public var undeliveredLimit = 4_096
        /// What the server takes in one message, in bytes.
        public var commandBytes = 65_536
        /// What we take in one message, in bytes.
        public var messageBytes = 16_777_216
        /// The loop to live on; `nil` for the one that all clients of the process share.
        public var loop: ClientLoop?
        /// Low-level, for load testers: what the kernel keeps for us unread, in bytes; `nil` for as much as it likes.
        public var receiveBufferBytes: Int?
        /// Low-level, for load testers: hears of every publication as it arrives, on the client's loop, before it is
        /// checked for order and without decoding its JSON. It must be quick.
        public var onPublication: PublicationHook?

        /// Low-level, for load testers: hears of every room that is entered, as `ClientEvent.subscribed` tells it, on the
        /// client's loop. It must be quick.
        public var onSubscribed: (@Sendable (_ room: String, _ recovered: Bool, _ wasRecovering: Bool) -> Void)?

        /// - Parameters:
        ///   - room: The channel's id, or `#` and a user id.
        ///   - offset: 0 for what is not stored.
        ///   - data: JSON of the event.
        public typealias PublicationHook = @Sendable (_ room: String, _ offset: UInt64, _ data: [UInt8]) -> Void

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
