import ChatModel

/// The subject of a report.
package enum ReportTarget: Hashable, Sendable {
    case channel(ChannelID)
    case user(UserID)
    /// A user's conduct in one channel.
    case member(ChannelID, UserID)
    case message(ChannelID, MessageID)
}

/// All reports, oldest first (`ME5`). Bounded by `FieldLimits.reports`: when the list or the reporter's share of it is
/// full, a new report replaces an older one.
struct ReportList {
    struct Key: Hashable {
        let by: UserID
        let target: ReportTarget
        let category: ReportCategory
        /// Whether a text rule reported the text of `by`.
        var isByRule = false
    }

    /// Ascending.
    private(set) var places: [ReportPlace] = []
    /// The same, by state.
    private var placesByState: [ReportState: [ReportPlace]] = [:]
    private var reports: [MessageID: Report] = [:]
    private var idByKey: [Key: MessageID] = [:]
    private var users = ReportHolders()
    private var guests = ReportHolders()
    /// Reports by text rules, by author.
    private var authors = ReportHolders()

    var count: Int { places.count }

    /// - Returns: `nil` if the report does not exist or was replaced.
    subscript(id: MessageID) -> Report? { reports[id] }

    /// Returns the same user's open report of the target in this category.
    func report(_ key: Key) -> Report? { idByKey[key].flatMap { reports[$0] } }

    /// Returns the index of the first report at or after a place.
    func index(of place: ReportPlace) -> Int { Self.index(of: place, in: places) }

    static func index(of place: ReportPlace, in places: [ReportPlace]) -> Int {
        var low = 0
        var high = places.count
        while low < high {
            let middle = low + (high - low) / 2
            if places[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the places of the reports in a state, or of all; ascending.
    func places(in state: ReportState?) -> [ReportPlace] { state.map { placesByState[$0] ?? [] } ?? places }

    /// The reports that were decided, oldest first.
    var settled: [MessageID] { places.map(\.id).filter { reports[$0]?.settledAt != nil } }

    /// Returns the places of a user's reports, ascending.
    func places(of reporter: UserID) -> [ReportPlace] { (reporter.isGuest ? guests : users).places(of: reporter) }

    /// Returns the report that a new one by this user replaces. If the user's share is used up, it is their own oldest.
    /// If the share of all guests is used up, a guest's report replaces the oldest of the guest with the most reports.
    /// If the list is full, the report replaces the oldest of the user with the most. Nobody loses a report to a user
    /// who has more.
    ///
    /// - Returns: `nil` while there is space.
    ///
    /// - Parameter isByRule: Whether a text rule reports a text of the user; such reports have shares of their own.
    func reportToReplace(for reporter: UserID, isByRule: Bool = false) -> MessageID? {
        if isByRule {
            if authors.count(of: reporter) >= FieldLimits.reportsPerAuthor { return authors.oldest(of: reporter)?.id }
            return authors.count >= FieldLimits.reportsOfRules ? authors.oldestOfFullest()?.id : nil
        }
        let holders = reporter.isGuest ? guests : users
        let share = reporter.isGuest ? FieldLimits.reportsPerGuest : FieldLimits.reportsPerUser
        if holders.count(of: reporter) >= share { return holders.oldest(of: reporter)?.id }
        if reporter.isGuest, guests.count >= FieldLimits.reportsOfAllGuests { return guests.oldestOfFullest()?.id }
        guard count - authors.count >= FieldLimits.reports else { return nil }
        // If everyone has one report, the oldest of all needs no search for the user with the most.
        if authors.count == 0, max(users.most, guests.most) <= 1 { return places.first?.id }
        return (guests.most >= users.most ? guests : users).oldestOfFullest()?.id
    }

    mutating func apply(_ record: Record) {
        switch record.event {
        case .reportCreated(let created): add(created, at: record.at)
        case .reportSettled(let settled): settle(settled, at: record.at)
        case .reportDeleted(let id, _): remove(id)
        default: break
        }
    }

    mutating func add(_ created: Event.ReportCreated, at: Int64) {
        if let replaced = created.replaced { remove(replaced) }
        guard reports[created.id] == nil else { return }
        var report = Report(
            id: created.id.description, category: created.category, description: created.description, channelID: nil,
            userID: nil, messageID: nil, by: created.by, at: at)
        if let rule = created.ruleID { (report.by, report.userID, report.ruleID) = (nil, created.by, rule) }
        switch created.target {
        case .channel(let channel): report.channelID = channel
        case .user(let user): report.userID = user
        case .member(let channel, let user): (report.channelID, report.userID) = (channel, user)
        case .message(let channel, let message): (report.channelID, report.messageID) = (channel, message)
        }
        let place = ReportPlace(at: at, id: created.id)
        places.insert(place, at: index(of: place))
        insert(place, into: .open)
        reports[created.id] = report
        if let key = key(of: report) { idByKey[key] = created.id }
        change(holdersOf: report) { $0.add(place, of: created.by) }
    }

    mutating func settle(_ settled: Event.ReportSettled, at time: Int64) {
        guard let report = reports[settled.id] else { return }
        let place = ReportPlace(at: report.at, id: settled.id)
        remove(place, from: report.state)
        insert(place, into: settled.state)
        // What was decided may be reported again.
        if let key = key(of: report), idByKey[key] == settled.id { idByKey[key] = nil }
        reports[settled.id]?.state = settled.state
        reports[settled.id]?.settledAt = settled.state == .open ? nil : time
        reports[settled.id]?.note = settled.note
    }

    mutating func load(_ part: ReportPart) {
        add(part.report, at: part.at)
        guard part.state != .open else { return }
        settle(
            Event.ReportSettled(id: part.report.id, state: part.state, note: part.note), at: part.settledAt ?? part.at)
    }

    private func key(of report: Report) -> Key? {
        guard let target = report.target, let holder = report.holder else { return nil }
        return Key(by: holder, target: target, category: report.category, isByRule: report.ruleID != nil)
    }

    private mutating func change(holdersOf report: Report, _ body: (inout ReportHolders) -> Void) {
        if report.ruleID != nil {
            body(&authors)
        } else if report.by?.isGuest ?? false {
            body(&guests)
        } else {
            body(&users)
        }
    }

    private mutating func insert(_ place: ReportPlace, into state: ReportState) {
        var places = placesByState.removeValue(forKey: state) ?? []
        places.insert(place, at: Self.index(of: place, in: places))
        placesByState[state] = places
    }

    private mutating func remove(_ place: ReportPlace, from state: ReportState) {
        guard var places = placesByState.removeValue(forKey: state) else { return }
        let index = Self.index(of: place, in: places)
        if index < places.count, places[index] == place { places.remove(at: index) }
        placesByState[state] = places
    }

    /// Removes the reports by a user, and those about the user.
    mutating func removeAll(naming user: UserID) {
        for place in places {
            guard let report = reports[place.id], report.by == user || report.userID == user else { continue }
            remove(place.id)
        }
    }

    mutating func remove(_ id: MessageID) {
        guard let report = reports.removeValue(forKey: id) else { return }
        let place = ReportPlace(at: report.at, id: id)
        let index = index(of: place)
        if index < places.count, places[index] == place { places.remove(at: index) }
        remove(place, from: report.state)
        if let key = key(of: report), idByKey[key] == id { idByKey[key] = nil }
        if let holder = report.holder { change(holdersOf: report) { $0.remove(place, of: holder) } }
    }
}

/// A report's position in the list, ordered by time, then by id.
struct ReportPlace: Hashable, ListPlace {
    let at: Int64
    let id: MessageID

    static func < (a: Self, b: Self) -> Bool { a.at != b.at ? a.at < b.at : a.id < b.id }
}

extension ReportPlace {
    var size: Int { 24 }

    ///     <time, base 36>.<id>
    var components: [String] { [String(at, radix: 36), id.description] }

    init?(components: [Substring]) {
        guard components.count == 2, let at = Int64(components[0], radix: 36),
            let id = MessageID(String(components[1]))
        else { return nil }
        self.init(at: at, id: id)
    }
}

/// The reports of each user, and the users who have the most.
private struct ReportHolders {
    /// The positions of each user's reports, ascending and never empty; bounded by the share of one reporter.
    private var placesByUser: [UserID: [ReportPlace]] = [:]
    private var usersByCount: [Int: Set<UserID>] = [:]
    private(set) var count = 0
    /// The largest number of reports by one user.
    private(set) var most = 0

    func count(of user: UserID) -> Int { placesByUser[user]?.count ?? 0 }
    func oldest(of user: UserID) -> ReportPlace? { placesByUser[user]?.first }
    func places(of user: UserID) -> [ReportPlace] { placesByUser[user] ?? [] }

    /// Returns the oldest report of the user with the most. Ties go to the lowest user id, so that every process
    /// agrees.
    func oldestOfFullest() -> ReportPlace? { usersByCount[most]?.min().flatMap(oldest) }

    mutating func add(_ place: ReportPlace, of user: UserID) {
        var places = placesByUser.removeValue(forKey: user) ?? []
        // Almost always appends, because reports arrive in chronological order.
        places.insert(place, at: (places.lastIndex { $0 < place } ?? -1) + 1)
        move(user, from: places.count - 1, to: places.count)
        placesByUser[user] = places
        count += 1
    }

    mutating func remove(_ place: ReportPlace, of user: UserID) {
        guard var places = placesByUser.removeValue(forKey: user) else { return }
        if let index = places.firstIndex(of: place) {
            places.remove(at: index)
            move(user, from: places.count + 1, to: places.count)
            count -= 1
        }
        if !places.isEmpty { placesByUser[user] = places }
    }

    private mutating func move(_ user: UserID, from old: Int, to new: Int) {
        usersByCount[old]?.remove(user)
        if usersByCount[old]?.isEmpty ?? false { usersByCount[old] = nil }
        if new > 0 { usersByCount[new, default: []].insert(user) }
        most = max(most, new)
        // Counts change by one, so the maximum can drop only by one.
        if usersByCount[most] == nil { most = max(0, most - 1) }
    }
}

extension Report {
    /// Whose share the report takes: the reporter's, or of a report by a text rule the author's.
    fileprivate var holder: UserID? { ruleID == nil ? by : userID }

    /// - Returns: `nil` for a combination that no report in the list can have.
    fileprivate var target: ReportTarget? {
        switch (channelID, messageID, userID) {
        case (let channel?, let message?, _): .message(channel, message)
        case (let channel?, nil, let user?): .member(channel, user)
        case (let channel?, nil, nil): .channel(channel)
        case (nil, _, let user?): .user(user)
        case (nil, _, nil): nil
        }
    }
}

extension ReportPart {
    /// - Returns: `nil` for a report that cannot be in the list.
    init?(_ report: Report) {
        guard let id = MessageID(report.id), let target = report.target, let holder = report.holder else { return nil }
        self.init(
            report: Event.ReportCreated(
                id: id, category: report.category, description: report.description, target: target, by: holder,
                ruleID: report.ruleID),
            at: report.at, state: report.state, settledAt: report.settledAt, note: report.note)
    }
}
