/// A page of an export.
public struct ExportResponse: Codable, Hashable, Sendable {
    /// The lines of this page, as in an export by the command line; the last line of the last page is of type `end`. A
    /// page may contain few lines or none although more follow, because one call examines a limited amount.
    public var lines: [ExportLine]
    /// The token of the next page; absent on the last page.
    public var next: String?

    /// Creates a response from its fields.
    public init(lines: [ExportLine], next: String? = nil) {
        self.lines = lines
        self.next = next
    }
}

/// Exports, page by page, what the chat knows of a user and what the user wrote, also in channels that the user has left,
/// without messages and reactions by others (`PR2`). For server keys, and for the user if the setting `export.own_data`
/// allows it.
///
/// All pages together contain everything that existed when the first one was requested and still exists. They may
/// contain what was added since. A reaction may be in them twice if another one to its message was taken back meanwhile.
public struct ExportUser: Request {
    /// The response to `user.export`.
    public typealias Response = ExportResponse
    /// The method name.
    public static let method = "user.export"
    /// The user.
    public var userID: UserID
    /// The maximum number of lines per page, not counting the last line of an export: 1–1,000; 500 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `user.export` request; nil arguments are omitted.
    public init(userID: UserID, limit: Int? = nil, next: String? = nil) {
        self.userID = userID
        self.limit = limit
        self.next = next
    }

    enum CodingKeys: String, CodingKey {
        case limit, next
        case userID = "user_id"
    }
}

/// Exports a channel with its members and messages, page by page (`PR2`). Server only.
///
/// The pages contain what those of `user.export` do.
public struct ExportChannel: Request {
    /// The response to `channel.export`.
    public typealias Response = ExportResponse
    /// The method name.
    public static let method = "channel.export"
    /// The channel.
    public var channelID: ChannelID
    /// The maximum number of lines per page, not counting the last line of an export: 1–1,000; 500 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `channel.export` request; nil arguments are omitted.
    public init(channelID: ChannelID, limit: Int? = nil, next: String? = nil) {
        self.channelID = channelID
        self.limit = limit
        self.next = next
    }

    enum CodingKeys: String, CodingKey {
        case limit, next
        case channelID = "channel_id"
    }
}
