/// The reason for a report (`ME5`).
public enum ReportCategory: String, Codable, Sendable, CaseIterable {
    case suspicious, harassing, inappropriate, spam
}

/// A complaint about a channel, a user, a user in a channel, or a message (`ME5`).
public struct Report: Codable, Hashable, Sendable {
    public var id: String
    public var category: ReportCategory
    public var description: String?
    /// The reported channel; with `messageID` the channel of the message, with `userID` the channel in which the user
    /// is reported.
    public var channelID: ChannelID?
    public var userID: UserID?
    public var messageID: MessageID?
    public var by: UserID
    /// Milliseconds since 1970.
    public var at: Int64

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
    public struct Response: Codable, Hashable, Sendable {
        public var report: Report
        public init(report: Report) { self.report = report }
    }
    public static let method = "report.create"
    public var category: ReportCategory
    public var description: String?
    public var channelID: ChannelID?
    public var userID: UserID?
    public var messageID: MessageID?

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
    public struct Response: Codable, Hashable, Sendable {
        public var reports: [Report]
        /// Absent on the last page.
        public var next: String?
        public init(reports: [Report], next: String? = nil) {
            self.reports = reports
            self.next = next
        }
    }
    public static let method = "report.list"
    public var limit: Int?
    public var next: String?

    public init(limit: Int? = nil, next: String? = nil) {
        self.limit = limit
        self.next = next
    }
}
