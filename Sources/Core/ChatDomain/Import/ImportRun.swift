import ChatModel

/// One import (`PR3`). Changed only by `evolve`. The counts come from a snapshot, so they wrap instead of trapping.
final class ImportRun {
    let id: String
    let source: String
    private(set) var stage = Import.State.running
    private(set) var lastLine = 0
    let startedAt: Int64
    private(set) var endedAt: Int64?
    private(set) var channelCount = 0
    private(set) var settledCount = 0
    private(set) var messageCount = 0
    /// The channels that are still hidden.
    private(set) var channels = ShardedDictionary<ChannelID, HiddenChannel>()

    init(_ started: Event.ImportStarted, at time: Int64) {
        id = started.id
        source = started.source
        startedAt = time
    }

    init(_ part: ImportPart) {
        id = part.id
        source = part.source
        stage = part.stage
        lastLine = part.lastLine
        startedAt = part.startedAt
        endedAt = part.endedAt
        channelCount = part.channelCount
        settledCount = part.settledCount
        messageCount = part.messageCount
    }

    /// Whether no channel is left to settle.
    var hasEnded: Bool { stage == .finished || stage == .discarded }

    var part: ImportPart {
        ImportPart(
            id: id, source: source, stage: stage, lastLine: lastLine, startedAt: startedAt, endedAt: endedAt,
            channelCount: channelCount, settledCount: settledCount, messageCount: messageCount)
    }

    var view: Import {
        Import(
            id: id, source: source, state: stage, lastLine: lastLine, channelCount: channelCount,
            settledChannelCount: settledCount, messageCount: messageCount, startedAt: startedAt, endedAt: endedAt)
    }

    // MARK: evolve

    /// - Returns: The user who became a member of a hidden channel; `nil` for other records.
    func apply(_ record: Record, _ sources: MessageSources) -> UserID? {
        if case .channelCreated(let created) = record.event {
            channels[created.id] = HiddenChannel(ChannelState(imported: created, at: record.at, sources))
            channelCount &+= 1
            return nil
        }
        guard let id = record.event.importedChannel, let channel = channels[id] else { return nil }
        channel.apply(record)
        switch record.event {
        case .messageSent: messageCount &+= 1
        case .memberJoined(let joined): return joined.user
        default: break
        }
        return nil
    }

    func accept(_ line: Int) { lastLine = line }

    func remove(_ id: ChannelID) -> HiddenChannel? { channels.removeValue(forKey: id) }

    func settle(_ settled: Event.ImportSettled, at time: Int64) {
        settledCount &+= settled.opened.count + settled.discarded.count
        stage =
            switch (settled.discards, settled.isLast) {
            case (false, false): .finishing
            case (false, true): .finished
            case (true, false): .discarding
            case (true, true): .discarded
            }
        if settled.isLast { endedAt = time }
    }

    func load(_ channel: ChannelState) { channels[channel.id] = HiddenChannel(channel) }
}

extension Event {
    /// The channel of an event that a line of an import can lead to; `nil` for all others.
    var importedChannel: ChannelID? {
        switch self {
        case .memberJoined(let joined): joined.channel
        case .invited(let id, _, _, _), .channelFrozen(let id), .messageDeleted(let id, _, _),
            .reactionAdded(let id, _, _, _):
            id
        case .memberBanned(let sanctioned), .memberMuted(let sanctioned): sanctioned.channel
        case .channelUpdated(let updated): updated.channel
        case .messageSent(let sent): sent.channel
        case .messageUpdated(let updated): updated.channel
        case .threadUpdated(let updated): updated.channel
        case .readMarked(let mark): mark.channel
        default: nil
        }
    }

    /// Whether a line of an import can lead to this event.
    package var isImportable: Bool {
        if case .channelCreated = self { return true }
        return importedChannel != nil
    }
}
