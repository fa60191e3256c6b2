/// An event that a webhook's receiver refused until it was given up (`L2`).
public struct DeadLetter: Codable, Hashable, Sendable {
    /// `webhook-id` of its deliveries.
    public var eventID: String
    public var type: String
    /// When it was given up, in milliseconds since 1970.
    public var at: Int64
    public var attempts: Int
    /// Of the last answer; absent when there was none.
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

/// The events that a webhook's receiver never took, oldest first. Server only.
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
    /// The webhook.
    public var id: String
    public var limit: Int?
    public var next: String?

    public init(id: String, limit: Int? = nil, next: String? = nil) {
        self.id = id
        self.limit = limit
        self.next = next
    }
}

/// Delivers dead letters again, behind what waits; each is one until it is taken. Server only.
public struct ReplayDeadLetters: Request {
    public struct Response: Codable, Hashable, Sendable {
        /// How many are on their way; others for which there was no room stay as they are.
        public var replayed: Int
        public init(replayed: Int) { self.replayed = replayed }
    }
    public static let method = "webhook.replay"
    /// The webhook.
    public var id: String
    /// At most 100; all when absent.
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
