import ChatModel

/// Walks through an export from one place to the next (`PR2`).
///
/// Between two steps the chat may change. A walk keeps ids and offsets only, in an order that no change affects, so it
/// passes everything that was there at its start and still is.
struct ExportWalk {
    enum Step {
        case line(ExportLine)
        /// The slice is over, or a channel had no line; `place` is after what was examined.
        case unfinished
        case over
    }

    /// What a channel costs beyond its messages, in messages.
    static let channelCost = 50

    let scope: ExportScope
    private(set) var place: ExportPlace
    /// The number of messages and reports examined, and what channels cost.
    private(set) var examined = 0
    private let keysAtOnce: Int
    private let channelsAtOnce: Int
    /// The next keys of the stage, and the next channels.
    private var keys: KeyWindow?
    private var channels: KeyWindow?

    /// - Parameters:
    ///   - keysAtOnce: How many of a stage's keys are sorted at once, at least 1: each time, all have to be examined.
    ///   - channelsAtOnce: The same for channels.
    init(_ scope: ExportScope, from place: ExportPlace = ExportPlace(), keysAtOnce: Int, channelsAtOnce: Int) {
        self.scope = scope
        self.place = place
        self.keysAtOnce = keysAtOnce
        self.channelsAtOnce = channelsAtOnce
    }

    /// Moves on by one line. Of two copies of a walk, only one may be used again after it has answered `unfinished`.
    mutating func next(in state: ChatState, _ work: WorkMeter) -> Step {
        while true {
            if work.isSliceOver { return .unfinished }
            let step: Step? = place.stage.isOfChannel ? stepInChannel(of: state, work) : step(in: state, work)
            if let step { return step }
        }
    }

    // MARK: stages of the app

    /// - Returns: Nil when a stage is over, and the next one has begun.
    private mutating func step(in state: ChatState, _ work: WorkMeter) -> Step? {
        switch place.stage {
        case .export:
            begin(first)
            return .line(.export(of: scope, at: state.lastAt))
        case .emojis:
            let emojis = state.emojis.emojis
            guard place.offset < UInt64(emojis.count) else { return begin(.users) }
            place.offset += 1
            return .line(.emoji(emojis[Int(place.offset) - 1]))
        case .users:
            return stepThroughKeys(
                work, { entryKeys(of: state.users) { $0.key.rawValue } }, then: .files
            ) { UserID($0).flatMap { state.users[$0] }.map(ExportLine.user) }
        case .user:
            begin(.files)
            guard case .user(let id) = scope, let user = state.users[id] else { return nil }
            return .line(.user(user))
        case .files:
            let scope = scope
            return stepThroughKeys(work, { state.files.keys(in: scope) }, then: .reports) { key in
                FileID(key).flatMap { state.files.part($0) }.flatMap { scope.includes($0.file) ? .file($0) : nil }
            }
        case .appBans: return stepThrough(state.moderation.bans, .ban, of: nil, at: state.lastAt, work, then: .appMutes)
        case .appMutes:
            return stepThrough(state.moderation.mutes, .mute, of: nil, at: state.lastAt, work, then: .blocks)
        case .blocks: return stepThroughBlocks(of: state, work)
        default: return stepThroughReports(of: state, work)
        }
    }

    private mutating func stepThroughBlocks(of state: ChatState, _ work: WorkMeter) -> Step? {
        let step: Step?
        if case .user(let id) = scope {
            let list = state.blockLists.list(of: id)
            step = stepThroughKeys(work, { entryKeys(of: list) { $0.key.rawValue } }, then: .channel) { key in
                UserID(key).flatMap { other in list[other].map { .block(other, by: id, at: $0) } }
            }
        } else {
            step = stepThroughKeys(work, { entryKeys(of: state.blockLists.pairs) { $0 } }, then: .channel) { key in
                state.blockLists.part(key).map { .block($0.blocked, by: $0.user, at: $0.at) }
            }
        }
        return step
    }

    private var first: ExportStage {
        switch scope {
        case .everything: .emojis
        case .user: .user
        case .channel: .files
        }
    }

    private mutating func stepThroughReports(of state: ChatState, _ work: WorkMeter) -> Step? {
        let places = state.reports.places(in: scope)
        var index = 0
        if let id = MessageID(place.key) {
            let last = ReportPlace(at: Int64(bitPattern: place.offset), id: id)
            index = ReportList.index(of: last, in: places)
            if index < places.count, places[index] == last { index += 1 }
        }
        while index < places.count {
            let report = places[index]
            (place.key, place.offset) = (report.id.description, UInt64(bitPattern: report.at))
            examined += 1
            work.charge(WorkCost.message)
            if let found = state.reports[report.id], scope.includes(found) { return .line(.report(found)) }
            if work.isSliceOver { return .unfinished }
            index += 1
        }
        guard case .channel(let id) = scope else { return begin(.appBans) }
        begin(.channel)
        place.channel = id
        return nil
    }

    /// - Parameter line: Returns nil for a key that is not there any longer.
    private mutating func stepThroughKeys(
        _ work: WorkMeter, _ source: () -> AnyIterator<String?>, then next: ExportStage,
        keepingOffset: Bool = false, _ line: (String) -> ExportLine?
    ) -> Step? {
        if keys == nil { keys = KeyWindow(source(), after: place.key, limit: keysAtOnce) }
        guard keys?.gather(work) ?? true else { return .unfinished }
        while let key = keys?.popFirst() {
            place.key = key
            work.charge(WorkCost.entry)
            if let line = line(key) { return .line(line) }
            if work.isSliceOver { return .unfinished }
        }
        if keys?.hasMore ?? false { keys = nil } else { begin(next, keepingOffset: keepingOffset) }
        return nil
    }

    @discardableResult
    private mutating func begin(_ stage: ExportStage, keepingOffset: Bool = false) -> Step? {
        place = ExportPlace(stage: stage, channel: place.channel, offset: keepingOffset ? place.offset : 0)
        keys = nil
        return nil
    }

    // MARK: stages of a channel

    private mutating func stepInChannel(of state: ChatState, _ work: WorkMeter) -> Step? {
        guard let id = place.channel, let channel = state.channels[id] else {
            return stepToNextChannel(of: state, work)
        }
        switch place.stage {
        case .channel:
            // A user's export has only the membership of a channel.
            if case .user(let user) = scope {
                examined += Self.channelCost
                work.charge(WorkCost.total)
                guard channel.mayConcern(user) else {
                    begin(.ended)
                    return .unfinished
                }
                return begin(.membership)
            }
            begin(.members)
            return .line(.channel(state.view(of: channel, for: nil)))
        case .members:
            return stepThroughKeys(work, { channel.people }, then: .bans) { key in
                guard let user = UserID(key), channel.includes(user) else { return nil }
                return .member(state.view(of: user, in: channel), of: id)
            }
        case .membership:
            begin(.bans)
            guard case .user(let user) = scope,
                let my = state.view(of: channel, for: user, showsLastMessage: false).my, my.state != .none
            else { return nil }
            return .line(.membership(my, in: id))
        case .bans: return stepThrough(channel.bans, .ban, of: id, at: state.lastAt, work, then: .mutes)
        case .mutes: return stepThrough(channel.mutes, .mute, of: id, at: state.lastAt, work, then: .messages)
        case .messages: return stepThroughMessages(of: channel, in: state, work)
        case .threads:
            let end = place.offset
            return stepThroughKeys(work, { channel.titledThreads }, then: .reads, keepingOffset: true) { key in
                MessageID(key).flatMap { channel.threadPart($0, upTo: end) }.map { .thread($0, in: id) }
            }
        case .reads:
            let end = place.offset
            return stepThroughKeys(work, { channel.readers(before: end) }, then: .ended) { key in
                guard let user = UserID(key), let member = channel.members[user], member.lastRead < end else {
                    return nil
                }
                return .read(channel.position(member.lastRead, visibleFrom: 0).messageID, by: user, in: id)
            }
        default: return stepToNextChannel(of: state, work)
        }
    }

    private mutating func stepThrough(
        _ sanctions: SanctionList, _ kind: ExportLine.Kind, of channel: ChannelID?, at time: Int64, _ work: WorkMeter,
        then next: ExportStage
    ) -> Step? {
        let only: UserID? = if case .user(let id) = scope { id } else { nil }
        return stepThroughKeys(
            work,
            {
                let users = only.map { [$0] } ?? sanctions.active(at: time)
                return entryKeys(of: users, \.rawValue)
            }, then: next
        ) { key in
            UserID(key).flatMap { sanctions.part(of: $0, at: time) }.map { .sanction(kind, $0, in: channel) }
        }
    }

    private mutating func stepToNextChannel(of state: ChatState, _ work: WorkMeter) -> Step? {
        if case .channel = scope { return .over }
        keys = nil
        if channels == nil {
            channels = KeyWindow(
                entryKeys(of: state.channels) { $0.key.rawValue },
                after: place.channel?.rawValue ?? "", limit: channelsAtOnce)
        }
        guard channels?.gather(work) ?? true else { return .unfinished }
        if let next = channels?.popFirst() {
            place = ExportPlace(stage: .channel, channel: ChannelID(next))
            return nil
        }
        guard channels?.hasMore ?? false else { return .over }
        channels = nil
        return nil
    }

    // MARK: messages

    private mutating func stepThroughMessages(of channel: ChannelState, in state: ChatState, _ work: WorkMeter) -> Step?
    {
        let messages = channel.messages
        var index = max(messages.firstPlace(after: place.offset), messages.startIndex)
        if index > messages.startIndex, messages.offset(at: index - 1) == place.offset,
            let line = nextReaction(to: messages.id(at: index - 1), in: channel)
        {
            work.charge(WorkCost.entry)
            return .line(line)
        }
        let sender: UserID? = if case .user(let user) = scope { user } else { nil }
        let number = sender.flatMap { messages.number(of: $0) }
        let hasReactions = channel.hasReactions
        if sender != nil, number == nil, !hasReactions { return begin(.ended) }
        while index < messages.endIndex {
            (place.offset, place.key, place.reaction) = (messages.offset(at: index), "", 0)
            examined += 1
            work.charge(WorkCost.message)
            if sender == nil || messages.isSent(by: number, at: index) {
                let message = messages[index]
                return .line(.message(state.view(of: message, in: channel, visibleFrom: 0, quotesParent: false)))
            }
            if hasReactions, let line = nextReaction(to: messages.id(at: index), in: channel) { return .line(line) }
            if work.isSliceOver { return .unfinished }
            index += 1
        }
        if sender != nil { return begin(.ended) }
        place.offset = max(place.offset, messages.last.map(\.offset) ?? 0)
        return begin(.threads, keepingOffset: true)
    }

    /// Returns the first reaction after `place`, and moves there.
    private mutating func nextReaction(to message: MessageID, in channel: ChannelState) -> ExportLine? {
        guard let keys = channel.reactions(on: message)?.keys else { return nil }
        // If nobody reacts with the last key any longer, its place among the others is unknown: all of them come again.
        let last = place.key.isEmpty ? nil : keys.firstIndex { ByteOrder.areEqual($0.key, place.key) }
        var after = last == nil ? 0 : place.reaction
        for key in keys[(last ?? 0)...] {
            if let reactor = key.firstReactor(after: after, in: scope) {
                (place.key, place.reaction) = (key.key, reactor.offset)
                return .reaction(key.key, to: message, in: channel.id, by: reactor.user)
            }
            after = 0
        }
        return nil
    }
}

extension MessageReactions.Key {
    /// Returns the first reaction after an offset, of those that an export contains.
    fileprivate func firstReactor(after offset: UInt64, in scope: ExportScope) -> MessageReactions.Reactor? {
        if case .user(let user) = scope {
            return self.offset(of: user).flatMap {
                $0 > offset ? MessageReactions.Reactor(offset: $0, user: user) : nil
            }
        }
        let place = firstPlace(after: offset)
        return place < reactors.count ? reactors[place] : nil
    }
}

extension ExportScope {
    fileprivate func includes(_ file: UploadedFile) -> Bool {
        switch self {
        case .everything: true
        case .user(let id): file.owner == id
        case .channel(let id): file.channel == id
        }
    }

    fileprivate func includes(_ report: Report) -> Bool {
        switch self {
        case .everything: true
        case .user(let id): report.by == id
        case .channel(let id): report.channelID == id
        }
    }
}
