/// An event that a webhook's receiver kept refusing until delivery was given up (`L2`).
public struct DeadLetter: Codable, Hashable, Sendable {
    /// The `webhook-id` of its deliveries.
    public var eventID: String
    /// The type of the event.
    public var type: String
    /// When delivery was given up, in milliseconds since 1970.
    public var at: Int64
    /// How often delivery was attempted.
    public var attempts: Int
    /// The status of the last response; absent if there was none.
    public var status: Int?

    /// Creates a value from its fields.
    public init(eventID: String, type: String, at: Int64, attempts: Int, status: Int?) {
        self.eventID = eventID
        self.type = type
        self.at = at
        self.attempts = attempts
        self.status = status
    }

    enum CodingKeys: String, CodingKey {
        case type, at, attempts, status
        case eventID = "event_id"
    }
}

/// Lists the events that a webhook's receiver never accepted, oldest first. Server only.
public struct ListDeadLetters: Request {
    /// The server's answer to `webhook.dead_letters`.
    public struct Response: Codable, Hashable, Sendable {
        /// The dead letters of this page, oldest first.
        public var deadLetters: [DeadLetter]
        /// Absent on the last page.
        public var next: String?

        /// Creates a response from its fields.
        public init(deadLetters: [DeadLetter], next: String? = nil) {
            self.deadLetters = deadLetters
            self.next = next
        }

        enum CodingKeys: String, CodingKey {
            case next
            case deadLetters = "dead_letters"
        }
    }
    /// The name of the method on the wire.
    public static let method = "webhook.dead_letters"
    /// The webhook's id.
    public var id: String
    /// The most entries of a page: 1–100, by default 30.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `webhook.dead_letters` request; a nil argument leaves its field out.
    public init(id: String, limit: Int? = nil, next: String? = nil) {
        self.id = id
        self.limit = limit
        self.next = next
    }
}

/// Delivers dead letters again, after the deliveries already waiting; each stays a dead letter until it is accepted.
/// Server only.
public struct ReplayDeadLetters: Request {
    /// The server's answer to `webhook.replay`.
    public struct Response: Codable, Hashable, Sendable {
        /// How many are queued for delivery; those that do not fit the queue stay as they are.
        public var replayed: Int
        /// Creates a response from its fields.
        public init(replayed: Int) { self.replayed = replayed }
    }
    /// The name of the method on the wire.
    public static let method = "webhook.replay"
    /// The webhook's id.
    public var id: String
    /// At most 100; all if absent.
    public var eventIDs: [String]?

    /// Creates a `webhook.replay` request; a nil argument leaves its field out.
    public init(id: String, eventIDs: [String]? = nil) {
        self.id = id
        self.eventIDs = eventIDs
    }

    enum CodingKeys: String, CodingKey {
        case id
        case eventIDs = "event_ids"
    }
}
