// `CodingKeys` shared by several requests. Each enum lists all fields of the requests that use it.

enum UserKeys: String, CodingKey { case userID = "user_id" }

enum MessageKeys: String, CodingKey {
    case channelID = "channel_id"
    case messageID = "message_id"
}

enum ReplyKeys: String, CodingKey {
    case channelID = "channel_id"
    case parentMessageID = "parent_message_id"
    case messageID = "message_id"
}

enum ReactionKeys: String, CodingKey {
    case key
    case channelID = "channel_id"
    case messageID = "message_id"
}

enum PeopleKeys: String, CodingKey {
    case channelID = "channel_id"
    case userIDs = "user_ids"
}

enum PeoplePageKeys: String, CodingKey {
    case limit, next
    case channelID = "channel_id"
}

enum ReportKeys: String, CodingKey {
    case note
    case reportID = "report_id"
}

enum AppSanctionKeys: String, CodingKey {
    case seconds, description
    case userID = "user_id"
}

enum SanctionKeys: String, CodingKey {
    case seconds, description
    case channelID = "channel_id"
    case userID = "user_id"
}
