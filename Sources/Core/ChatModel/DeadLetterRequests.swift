/// An event that could not be delivered to a webhook: every attempt failed (`L2`).
public struct DeadLetter: Codable, Hashable, Sendable {
    /// The `webhook-id` that its deliveries carried.
    public var eventID: String
    /// The type of the event.
    public var type: String
    /// When the server gave up, in milliseconds since 1970.
    public var at: Int64
    /// The number of delivery attempts.
    public var attempts: Int
    /// The HTTP status of the last response; absent if there was none.
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

/// Lists the undelivered events of a webhook, oldest first. Server only.
public struct ListDeadLetters: Request {
    /// The response to `webhook.dead_letters`.
    public struct Response: Codable, Hashable, Sendable {
        /// The dead letters of this page, oldest first.
        public var deadLetters: [DeadLetter]
        /// The token of the next page; absent on the last page.
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
    /// The method name.
    public static let method = "webhook.dead_letters"
    /// The webhook's id.
    public var id: String
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `webhook.dead_letters` request; nil arguments are omitted.
    public init(id: String, limit: Int? = nil, next: String? = nil) {
        self.id = id
        self.limit = limit
        self.next = next
    }
}

/// Delivers dead letters again, after the deliveries already queued. A dead letter is kept until the receiver accepts
/// it. Server only.
public struct ReplayDeadLetters: Request {
    /// The response to `webhook.replay`.
    public struct Response: Codable, Hashable, Sendable {
        /// The number of events queued for delivery; those that do not fit into the queue remain dead letters.
        public var replayed: Int
        /// Creates a response from its fields.
        public init(replayed: Int) { self.replayed = replayed }
    }
    /// The method name.
    public static let method = "webhook.replay"
    /// The webhook's id.
    public var id: String
    /// The events to deliver, at most 100; all if absent.
    public var eventIDs: [String]?

    /// Creates a `webhook.replay` request; nil arguments are omitted.
    public init(id: String, eventIDs: [String]? = nil) {
        self.id = id
        self.eventIDs = eventIDs
    }

    enum CodingKeys: String, CodingKey {
        case id
        case eventIDs = "event_ids"
    }
}
