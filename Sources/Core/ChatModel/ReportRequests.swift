/// The reason for a report (`ME5`).
public enum ReportCategory: String, Codable, Sendable, CaseIterable {
    /// As the reporter chose.
    case suspicious, harassing, inappropriate, spam
}

/// A complaint about a channel, a user, a user in a channel, or a message (`ME5`).
public struct Report: Codable, Hashable, Sendable {
    /// Identifies the report.
    public var id: String
    /// The reason.
    public var category: ReportCategory
    /// The reporter's words: at most 1,024 bytes; absent if there are none.
    public var description: String?
    /// The reported channel; with `messageID` the channel of the message, with `userID` the channel in which the user
    /// is reported.
    public var channelID: ChannelID?
    /// The reported user.
    public var userID: UserID?
    /// The reported message.
    public var messageID: MessageID?
    /// The reporter.
    public var by: UserID
    /// Milliseconds since 1970.
    public var at: Int64

    /// Creates a value from its fields.
    public init(
        id: String, category: ReportCategory, description: String?, channelID: ChannelID?, userID: UserID?,
        messageID: MessageID?, by: UserID, at: Int64
    ) {
        self.id = id
        self.category = category
        self.description = description
        self.channelID = channelID
        self.userID = userID
        self.messageID = messageID
        self.by = by
        self.at = at
    }

    enum CodingKeys: String, CodingKey {
        case id, category, description, by, at
        case channelID = "channel_id"
        case userID = "user_id"
        case messageID = "message_id"
    }
}

/// Reports exactly one thing that the reporter can see: a channel, a user, a user in a channel, or a message with its
/// channel. Repeating a report returns the same report (`ME5`).
public struct CreateReport: Request {
    /// The server's answer to `report.create`.
    public struct Response: Codable, Hashable, Sendable {
        /// The new report, or the existing one.
        public var report: Report
        /// Creates a response from its fields.
        public init(report: Report) { self.report = report }
    }
    /// The name of the method on the wire.
    public static let method = "report.create"
    /// The reason.
    public var category: ReportCategory
    /// The reporter's words: at most 1,024 bytes.
    public var description: String?
    /// The reported channel, or the channel of the reported user or message.
    public var channelID: ChannelID?
    /// The reported user.
    public var userID: UserID?
    /// The reported message.
    public var messageID: MessageID?

    /// Creates a `report.create` request; a nil argument leaves its field out.
    public init(
        category: ReportCategory, description: String? = nil, channelID: ChannelID? = nil, userID: UserID? = nil,
        messageID: MessageID? = nil
    ) {
        self.category = category
        self.description = description
        self.channelID = channelID
        self.userID = userID
        self.messageID = messageID
    }

    enum CodingKeys: String, CodingKey {
        case category, description
        case channelID = "channel_id"
        case userID = "user_id"
        case messageID = "message_id"
    }
}

/// Lists all reports, newest first (`ME5`). Server only.
public struct ListReports: Request {
    /// The server's answer to `report.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The reports of this page, newest first.
        public var reports: [Report]
        /// Absent on the last page.
        public var next: String?
        /// Creates a response from its fields.
        public init(reports: [Report], next: String? = nil) {
            self.reports = reports
            self.next = next
        }
    }
    /// The name of the method on the wire.
    public static let method = "report.list"
    /// The most entries of a page: 1–100, by default 30.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `report.list` request; a nil argument leaves its field out.
    public init(limit: Int? = nil, next: String? = nil) {
        self.limit = limit
        self.next = next
    }
}
