import ChatDomain
import Records

/// An operation that turns a copied journal into a new one. The original may have continued, so all rooms start new
/// epochs: clients with a position from the original must reload.
package struct JournalRestoration {
    let source: any Disk
    let target: any Disk

    package init(of source: any Disk, to target: any Disk) {
        self.source = source
        self.target = target
    }

    /// - Parameter damaged: Called for each unusable snapshot; an older one is used instead.
    /// - Returns: The state, with its old epochs, and the number of the last frame in it.
    package func run(
        _ random: inout some RandomNumberGenerator, _ damaged: (JournalError) -> Void
    ) throws(JournalError) -> (state: ChatState, sequence: UInt64) {
        let report = try JournalRecovery.inspect(source)
        let loader = StateLoader(disk: source, report: report)
        let (state, base) = try loader.base(damaged)
        try loader.replay(state, after: base, through: report.last)
        let salts = (random.next(), random.next())
        _ = try SnapshotWriter(disk: target, sequence: report.last, salt: salts.0)
            .write(state) { $0.beginEpochs(&random) }
        for block in state.blocks.damaged { damaged(.unreadableBlock(file: FileName.blocks.name(block.file), block)) }
        try JournalError.wrapping { () throws(DiskError) in
            try Self.beginSegment(target, first: report.next, salt: salts.1)
        }
        return (state, report.last)
    }

    /// Writes an empty segment, because without one, the position of the journal's end would be lost.
    private static func beginSegment(_ disk: any Disk, first: UInt64, salt: UInt64) throws(DiskError) {
        let header = FileHeader(.segment, contentVersion: RecordCoder.version, salt: salt, number: first)
        var bytes = header.encoded()
        try FrameFormat.append([], sequence: first, unsynced: 0, salt: salt, to: &bytes)
        let file = try disk.create(FileName.segment.name(first))
        try file.write(bytes, at: 0)
        try file.sync()
        try disk.syncFolder()
    }
}

extension StatePart {
    /// Gives each room a new epoch.
    fileprivate mutating func beginEpochs(_ random: inout some RandomNumberGenerator) {
        func epoch() -> String { String(random.next() >> 2, radix: 36) }
        switch self {
        case .users(var parts):
            for index in parts.indices { parts[index].user.inboxEpoch = epoch() }
            self = .users(parts)
        case .channel(var part):
            part.channel.epoch = epoch()
            self = .channel(part)
        case .app, .files, .orphans, .reports, .members, .messages, .emojis, .channelMore, .threadMarks, .reactions,
            .imports, .blocks, .erased, .runs, .appSanctions, .blockLists,
            .moderationLog, .textRules, .roles:
            break
        }
    }
}
