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

extension ReportPart {
    /// - Returns: `nil` for what no report of the list can be.
    init?(_ report: Report) {
        guard let id = MessageID(report.id) else { return nil }
        let target: ReportTarget
        switch (report.channelID, report.messageID, report.userID) {
        case (let channel?, let message?, _): target = .message(channel, message)
        case (let channel?, nil, _): target = .channel(channel)
        case (nil, _, let user?): target = .user(user)
        case (nil, _, nil): return nil
        }
        self.init(
            report: Event.ReportCreated(
                id: id, category: report.category, description: report.description, target: target, by: report.by),
            at: report.at)
    }
}
