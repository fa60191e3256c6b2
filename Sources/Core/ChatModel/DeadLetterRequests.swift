/// An event that a webhook's receiver kept refusing until delivery was given up (`L2`).
public struct DeadLetter: Codable, Hashable, Sendable {
    /// The `webhook-id` of its deliveries.
    public var eventID: String
    public var type: String
    /// When delivery was given up, in milliseconds since 1970.
    public var at: Int64
    public var attempts: Int
    /// The status of the last response; absent if there was none.
    public var status: Int?

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
    public struct Response: Codable, Hashable, Sendable {
        public var deadLetters: [DeadLetter]
        /// Absent on the last page.
        public var next: String?

        public init(deadLetters: [DeadLetter], next: String? = nil) {
            self.deadLetters = deadLetters
            self.next = next
        }

        enum CodingKeys: String, CodingKey {
            case next
            case deadLetters = "dead_letters"
        }
    }
    public static let method = "webhook.dead_letters"
    /// The webhook's id.
    public var id: String
    public var limit: Int?
    public var next: String?

    public init(id: String, limit: Int? = nil, next: String? = nil) {
        self.id = id
        self.limit = limit
        self.next = next
    }
}

/// Delivers dead letters again, after the deliveries already waiting; each stays a dead letter until it is accepted.
/// Server only.
public struct ReplayDeadLetters: Request {
    public struct Response: Codable, Hashable, Sendable {
        /// How many are queued for delivery; those that do not fit the queue stay as they are.
        public var replayed: Int
        public init(replayed: Int) { self.replayed = replayed }
    }
    public static let method = "webhook.replay"
    /// The webhook's id.
    public var id: String
    /// At most 100; all if absent.
    public var eventIDs: [String]?

    public init(id: String, eventIDs: [String]? = nil) {
        self.id = id
        self.eventIDs = eventIDs
    }

    enum CodingKeys: String, CodingKey {
        case id
        case eventIDs = "event_ids"
    }
}
