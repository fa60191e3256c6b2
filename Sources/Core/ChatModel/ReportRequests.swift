/// The reason for a report (`ME5`).
public enum ReportCategory: String, Codable, Sendable, CaseIterable {
    /// The reporter's choice.
    case suspicious, harassing, inappropriate, spam
}

/// The state of a report (`ME5`).
public enum ReportState: String, Codable, Sendable, CaseIterable {
    /// Not decided yet; action was taken; no action was needed.
    case open, resolved, dismissed
}

/// A report about a channel, a user, a user in a channel, or a message (`ME5`).
public struct Report: Codable, Hashable, Sendable {
    /// The report's id.
    public var id: String
    /// The reason.
    public var category: ReportCategory
    /// The reporter's description: at most 1,024 bytes; absent if there is none.
    public var description: String?
    /// The reported channel. With `messageID`, the channel of the message; with `userID`, the channel in which the user
    /// is reported.
    public var channelID: ChannelID?
    /// The reported user; with `ruleID`, the author of the text.
    public var userID: UserID?
    /// The reported message.
    public var messageID: MessageID?
    /// The reporter; absent for a report by a text rule.
    public var by: UserID?
    /// The text rule that reported the text; absent for a report by a user (`MO3`).
    public var ruleID: String?
    /// When the report was made, in milliseconds since 1970.
    public var at: Int64
    /// The state.
    public var state: ReportState
    /// When it was resolved or dismissed, in milliseconds since 1970; absent while it is open.
    public var settledAt: Int64?
    /// The note about the decision: at most 1,024 bytes; absent if there is none.
    public var note: String?

    /// Creates a value from its fields.
    public init(
        id: String, category: ReportCategory, description: String?, channelID: ChannelID?, userID: UserID?,
        messageID: MessageID?, by: UserID?, at: Int64, state: ReportState = .open, settledAt: Int64? = nil,
        note: String? = nil
    ) {
        self.state = state
        self.settledAt = settledAt
        self.note = note
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
        case id, category, description, by, at, state, note
        case settledAt = "settled_at"
        case ruleID = "rule_id"
        case channelID = "channel_id"
        case userID = "user_id"
        case messageID = "message_id"
    }
}

/// Reports exactly one thing that the reporter can see: a channel, a user, a user in a channel, or a message in its
/// channel. Repeating a report returns the existing one while it is open (`ME5`).
public struct CreateReport: Request {
    /// The response to `report.create`.
    public struct Response: Codable, Hashable, Sendable {
        /// The new report, or the existing one.
        public var report: Report
        /// Creates a response from its fields.
        public init(report: Report) { self.report = report }
    }
    /// The method name.
    public static let method = "report.create"
    /// The reason.
    public var category: ReportCategory
    /// The reporter's description: at most 1,024 bytes.
    public var description: String?
    /// The reported channel, or the channel of the reported user or message.
    public var channelID: ChannelID?
    /// The reported user.
    public var userID: UserID?
    /// The reported message.
    public var messageID: MessageID?

    /// Creates a `report.create` request; nil arguments are omitted.
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
    /// The response to `report.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The reports of this page, newest first.
        public var reports: [Report]
        /// The token of the next page; absent on the last page.
        public var next: String?
        /// Creates a response from its fields.
        public init(reports: [Report], next: String? = nil) {
            self.reports = reports
            self.next = next
        }
    }
    /// The method name.
    public static let method = "report.list"
    /// Only reports in this state; nil for all.
    public var state: ReportState?
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `report.list` request; nil arguments are omitted.
    public init(state: ReportState? = nil, limit: Int? = nil, next: String? = nil) {
        self.state = state
        self.limit = limit
        self.next = next
    }
}
