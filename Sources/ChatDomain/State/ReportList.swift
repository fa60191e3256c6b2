import ChatModel

/// What a report is about.
package enum ReportTarget: Hashable, Sendable {
    case channel(ChannelID)
    case user(UserID)
    case message(ChannelID, MessageID)
}

/// All reports, oldest first (`ME5`). Bounded by what `decide` lets in.
struct ReportList {
    struct Key: Hashable {
        let by: UserID
        let target: ReportTarget
        let category: ReportCategory
    }

    private(set) var reports: [Report] = []
    private var indexByKey: [Key: Int] = [:]
    private var countByUser: [UserID: Int] = [:]

    /// What the same person reported for the same reason before.
    func report(_ key: Key) -> Report? { indexByKey[key].map { reports[$0] } }

    func count(by user: UserID) -> Int { countByUser[user] ?? 0 }

    mutating func add(_ created: Event.ReportCreated, at: Int64) {
        var report = Report(
            id: created.id.description, category: created.category, description: created.description, channelID: nil,
            userID: nil, messageID: nil, by: created.by, at: at)
        switch created.target {
        case .channel(let channel): report.channelID = channel
        case .user(let user): report.userID = user
        case .message(let channel, let message):
            report.channelID = channel
            report.messageID = message
        }
        indexByKey[Key(by: created.by, target: created.target, category: created.category)] = reports.count
        countByUser[created.by, default: 0] += 1
        reports.append(report)
    }
}
