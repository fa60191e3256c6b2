import ChatModel

/// The decision on the lines of one batch (`PR3`): the events that they lead to, line by line. The first line that cannot
/// be imported refuses the whole batch.
struct ImportDraft {
    let run: ImportRun
    let state: ChatState
    let context: Context
    /// New users and emojis, which are visible at once.
    private(set) var events: [Event] = []
    private var sightings: [Event.Sighting] = []
    /// What the hidden channels get.
    private var records: [Record] = []
    private var users: Set<UserID> = []
    private var emojis: [String: Emoji] = [:]
    private var channels: [ChannelID: ChannelDraft] = [:]
    /// The number of hidden channels that users become members of.
    private var memberships: [UserID: Int] = [:]

    init(_ run: ImportRun, _ state: ChatState, _ context: Context) {
        self.run = run
        self.state = state
        self.context = context
    }

    /// - Parameter lastLine: The number of the last line of the batch.
    func decision(lastLine: Int) -> Decision {
        Decision(
            events + (sightings.isEmpty ? [] : [.usersSeen(sightings)])
                + [.importAdded(Event.ImportAdded(id: run.id, lastLine: lastLine, records: records))])
    }

    /// - Throws: Why the line cannot be imported; the draft is then of no use.
    mutating func add(_ line: ImportLine) throws(Rejection) {
        switch line.type {
        case "emoji": try add(try Self.required(line.emoji, "emoji"))
        case "user": try add(try Self.required(line.user, "user"), line)
        case "channel": try add(try Self.required(line.channel, "channel"))
        case "member": try add(try Self.required(line.member, "member"), to: try channelID(line))
        case "ban", "mute":
            if let channel = line.channelID { try addSanction(line, to: channel) } else { try addAppSanction(line) }
        case "block": try addBlock(line)
        case "message": try add(try Self.required(line.message, "message"))
        case "reaction": try addReaction(line, to: try channelID(line))
        case "thread": try addThread(line, to: try channelID(line))
        case "read": try addMark(line, to: try channelID(line))
        default: return
        }
    }

    static func required<Value>(_ value: Value?, _ name: String) throws(Rejection) -> Value {
        guard let value else { throw Rejection(.badRequest, "\(name) is missing") }
        return value
    }

    private func channelID(_ line: ImportLine) throws(Rejection) -> ChannelID {
        try Self.required(line.channelID, "channel_id")
    }

    // MARK: What has been added so far

    func checkKnown(_ user: UserID) throws(Rejection) {
        guard state.knows(user) || users.contains(user) else { throw Rejection(.notFound, "user \(user)") }
    }

    /// - Throws: 1032 unless the time lies between 1970 and now.
    func checkTime(_ time: Int64?, _ field: String) throws(Rejection) {
        guard let time, !(0...context.now).contains(time) else { return }
        throw Rejection(.invalidValue, "\(field): must be between 1970 and now")
    }

    /// Returns whether this batch adds the user.
    func isNew(_ user: UserID) -> Bool { users.contains(user) }

    func knowsEmoji(_ key: String) -> Bool { state.emojis[key] != nil || emojis[key] != nil }

    func knows(_ channel: ChannelID) -> Bool { channels[channel] != nil || run.channels[channel] != nil }

    /// Returns a channel that this import creates.
    func draft(_ id: ChannelID) throws(Rejection) -> ChannelDraft {
        if let draft = channels[id] { return draft }
        guard let channel = run.channels[id] else {
            throw Rejection(.notFound, "channel \(id): the import has not created it")
        }
        return ChannelDraft(channel, context.settings)
    }

    func channelCount(of user: UserID) -> Int {
        (state.users[user].map(state.channelCount) ?? 0) + state.imports.membershipCount(of: user)
            + (memberships[user] ?? 0)
    }

    mutating func set(_ draft: ChannelDraft, of id: ChannelID) { channels[id] = draft }
    mutating func countMembership(of user: UserID) { memberships[user, default: 0] += 1 }

    mutating func record(_ event: Event, at: Int64, by: UserID? = nil) {
        records.append(Record(event: event, at: at, by: by, positions: []))
    }

    mutating func add(_ event: Event) { events.append(event) }

    // MARK: Users and emojis

    /// Adds a user unless there is one with this id, who stays as they are.
    private mutating func add(_ user: ImportedUser, _ line: ImportLine) throws(Rejection) {
        let id = user.id
        guard !id.isGuest else { throw Rejection(.invalidValue, "user.id: reserved for guests") }
        guard !id.isDeleted else { throw Rejection(.invalidValue, "user.id: reserved for deleted users") }
        if let refusal = state.erasureRefusal(of: id) { throw refusal }
        try FieldChecks.name(user.nickname, "user.nickname", atMost: FieldLimits.nicknameCodePoints)
        try FieldChecks.url(user.profileURL, "user.profile_url")
        try FieldChecks.metadata(user.metadata)
        try checkTime(user.lastSeenAt, "user.last_seen_at")
        guard !state.knows(id), users.insert(id).inserted else { return }
        events.append(
            .userCreated(
                Event.UserCreated(
                    id: id, nickname: user.nickname ?? id.rawValue, profileURL: user.profileURL,
                    metadata: user.metadata ?? [:], inboxEpoch: context.freshEpoch,
                    isAppAdmin: user.isAppAdmin ?? false)))
        if line.autoAcceptInvitations == false { events.append(.preferencesChanged(id, autoAcceptInvitations: false)) }
        if let push = line.push, push != .all { events.append(.pushPreferenceChanged(id, push)) }
        if user.isActive == false { events.append(.userDeactivated(id)) }
        if let time = user.lastSeenAt, time > 0 { sightings.append(Event.Sighting(user: id, leftAt: time)) }
    }

    /// Registers an emoji unless there is one with this key.
    private mutating func add(_ emoji: Emoji) throws(Rejection) {
        guard !knowsEmoji(emoji.key) else { return }
        guard state.emojis.emojis.count + emojis.count < FieldLimits.emojis else {
            throw Rejection(.tooMany, "emojis: at most \(FieldLimits.emojis)")
        }
        let create = CreateEmoji(
            key: emoji.key, url: emoji.url, character: emoji.character, category: emoji.category)
        events += try create.decide(in: state, context).events
        emojis[emoji.key] = emoji
    }
}
