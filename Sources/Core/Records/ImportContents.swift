import ChatDomain
import ChatModel

// Conversion of the contents of import events, and of imports in snapshots.

extension ProtoImportStarted {
    init(_ started: Event.ImportStarted) {
        self.init()
        id = started.id
        source = started.source
    }
}

extension Event.ImportStarted {
    init(_ proto: ProtoImportStarted) { self.init(id: proto.id, source: proto.source) }
}

extension ProtoImportAdded {
    init(_ added: Event.ImportAdded) {
        self.init()
        id = added.id
        lastLine = UInt64(clamping: added.lastLine)
        records = added.records.map(ProtoRecord.init)
    }
}

extension Event.ImportAdded {
    init(_ proto: ProtoImportAdded) throws(RecordError) {
        var records: [Record] = []
        records.reserveCapacity(proto.records.count)
        for record in proto.records { records.append(try Record(imported: record)) }
        self.init(id: proto.id, lastLine: Int(clamping: proto.lastLine), records: records)
    }
}

extension Record {
    /// Decodes what a line adds. Other kinds of events, such as another batch, are refused.
    fileprivate init(imported proto: ProtoRecord) throws(RecordError) {
        guard let kind = proto.event else { throw .unknownEvent }
        if case .importAdded = kind { throw .invalid(field: "records") }
        let event = try Event(kind)
        guard event.isImportable, proto.offsets.isEmpty else { throw .invalid(field: "records") }
        self.init(event: event, at: proto.at, by: try optionalUser(proto.by, "by"), positions: [])
    }
}

extension ProtoImportSettled {
    init(_ settled: Event.ImportSettled) {
        self.init()
        id = settled.id
        opened = settled.opened.map(ProtoOpenedChannel.init)
        discarded = settled.discarded.map(\.rawValue)
        discards = settled.discards
        isLast = settled.isLast
    }
}

extension Event.ImportSettled {
    init(_ proto: ProtoImportSettled) throws(RecordError) {
        self.init(
            id: proto.id, opened: try decodeAll(proto.opened, Opened.init),
            discarded: try decodeAll(proto.discarded) { id throws(RecordError) in try channel(id, "discarded") },
            discards: proto.discards, isLast: proto.isLast)
    }
}

extension ProtoOpenedChannel {
    init(_ opened: Event.ImportSettled.Opened) {
        self.init()
        channel = opened.channel.rawValue
        if let key = opened.distinctKey { distinctKey = ProtoDistinctKey(key) }
    }
}

extension Event.ImportSettled.Opened {
    init(_ proto: ProtoOpenedChannel) throws(RecordError) {
        self.init(
            channel: try Records.channel(proto.channel),
            distinctKey: proto.hasDistinctKey ? try DistinctKey(proto.distinctKey) : nil)
    }
}

extension ProtoImportStage: Counterpart {
    init(_ stage: Import.State) {
        self =
            switch stage {
            case .running: .running
            case .finishing: .finishing
            case .finished: .finished
            case .discarding: .discarding
            case .discarded: .discarded
            }
    }
}

extension ProtoImportPart {
    init(_ part: ImportPart) {
        self.init()
        id = part.id
        source = part.source
        stage = ProtoImportStage(part.stage)
        lastLine = UInt64(clamping: part.lastLine)
        startedAt = part.startedAt
        endedAt = part.endedAt ?? 0
        channels = UInt64(clamping: part.channelCount)
        settled = UInt64(clamping: part.settledCount)
        messages = UInt64(clamping: part.messageCount)
    }
}

extension ImportPart {
    init(_ proto: ProtoImportPart) throws(RecordError) {
        self.init(
            id: proto.id, source: proto.source, stage: try proto.stage.value("stage"),
            lastLine: Int(clamping: proto.lastLine), startedAt: proto.startedAt,
            endedAt: proto.endedAt == 0 ? nil : proto.endedAt, channelCount: Int(clamping: proto.channels),
            settledCount: Int(clamping: proto.settled), messageCount: Int(clamping: proto.messages))
    }
}
