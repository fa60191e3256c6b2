import ChatDomain
import ChatModel

/// The events of all rooms according to the frames, tracked independently of the server.
struct RoomBook {
    /// A room from creation to deletion. A later room with the same name has a different epoch.
    struct Life: Hashable {
        let room: Room
        let epoch: String
    }

    struct Entry {
        let sequence: UInt64
        let record: Record
    }

    /// Indexed by offset - 1.
    private(set) var entries: [Life: [Entry]] = [:]
    private(set) var epochs: [Room: String] = [:]
    struct Deletion {
        let sequence: UInt64
        let offset: UInt64
        let at: Int64
    }

    private var deletions: [Life: [MessageID: Deletion]] = [:]
    /// The offsets at which memberships began, in order.
    private var beginnings: [Life: [UserID: [UInt64]]] = [:]

    /// The last frame recorded.
    private(set) var last: UInt64 = 0

    init() {}

    init(_ frames: [History.Frame]) throws(Broken) {
        for frame in frames { try apply(frame) }
    }

    mutating func apply(_ frame: History.Frame) throws(Broken) {
        last = frame.sequence
        for record in frame.records {
            if case .importAdded(let added) = record.event {
                for record in added.records { try apply(placed(record), frame) }
            }
            try apply(record, frame)
        }
    }

    /// Returns an imported record with the next offset of its channel.
    private func placed(_ record: Record) -> Record {
        var record = record
        if case .channelCreated(let created) = record.event {
            record.place(in: .channel(created.id), at: 1)
        } else if let room = record.event.rooms.first, case .channel = room, let epoch = epochs[room] {
            record.place(in: room, at: top(Life(room: room, epoch: epoch)) + 1)
        }
        return record
    }

    private mutating func apply(_ record: Record, _ frame: History.Frame) throws(Broken) {
        switch record.event {
        case .channelCreated(let created): epochs[.channel(created.id)] = created.epoch
        case .userCreated(let created): epochs[.inbox(created.id)] = created.inboxEpoch
        default: break
        }
        for position in record.positions {
            let life = try life(of: position.room, frame)
            let next = UInt64(entries[life]?.count ?? 0) + 1
            guard position.offset == next else {
                throw Broken(
                    .denseOffsets,
                    "frame \(frame.sequence) has offset \(position.offset) of \(position.room), expected \(next)")
            }
            entries[life, default: []].append(Entry(sequence: frame.sequence, record: record))
        }
        recordDetails(of: record, frame.sequence)
    }

    /// Returns the offset of the room's last event.
    func top(_ life: Life) -> UInt64 { UInt64(entries[life]?.count ?? 0) }

    func entry(_ offset: UInt64, of life: Life) -> Entry? {
        guard offset > 0, let entries = entries[life], offset <= UInt64(entries.count) else { return nil }
        return entries[Int(offset) - 1]
    }

    func deletion(of message: MessageID, in life: Life) -> Deletion? { deletions[life]?[message] }

    /// Returns the offset at which the membership that was current at an offset began; 0 for the user's inbox.
    func beginning(of user: UserID, in life: Life, at offset: UInt64) -> UInt64 {
        beginnings[life]?[user]?.last { $0 <= offset } ?? 0
    }

    private func life(of room: Room, _ frame: History.Frame) throws(Broken) -> Life {
        guard let epoch = epochs[room] else {
            throw Broken(.denseOffsets, "frame \(frame.sequence) has an event of \(room) before the room was created")
        }
        return Life(room: room, epoch: epoch)
    }

    /// Removed messages have no event of their own. Whoever recovers later events of theirs may or may not get tombstones.
    private mutating func recordRemovals(_ trimmed: Event.HistoryTrimmed, at time: Int64, _ sequence: UInt64) {
        guard let epoch = epochs[.channel(trimmed.channel)] else { return }
        let life = Life(room: .channel(trimmed.channel), epoch: epoch)
        for case .messageSent(let sent) in (entries[life] ?? []).prefix(Int(clamping: trimmed.upTo)).map(\.record.event)
        where deletions[life]?[sent.id] == nil {
            deletions[life, default: [:]][sent.id] = Deletion(sequence: sequence, offset: .max, at: time)
        }
    }

    private mutating func recordDetails(of record: Record, _ sequence: UInt64) {
        if case .historyTrimmed(let trimmed) = record.event { recordRemovals(trimmed, at: record.at, sequence) }
        guard let first = record.positions.first, let epoch = epochs[first.room] else { return }
        let life = Life(room: first.room, epoch: epoch)
        switch record.event {
        case .channelCreated(let created):
            if let creator = created.creator {
                beginnings[life, default: [:]][creator, default: []].append(first.offset)
            }
        case .memberJoined(let joined):
            beginnings[life, default: [:]][joined.user, default: []].append(first.offset)
        case .messageDeleted(_, let message, _):
            deletions[life, default: [:]][message] = Deletion(sequence: sequence, offset: first.offset, at: record.at)
        default: break
        }
    }
}

extension Record {
    fileprivate mutating func place(in room: Room, at offset: UInt64) {
        self = Record(event: event, at: at, by: by, positions: [RoomOffset(room: room, offset: offset)])
    }
}

/// Checks that the offsets of every room have no gaps, within each run of the server and across restarts.
struct RoomCheck: Check {
    private var book = RoomBook()

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        switch moment {
        case .began(let frames, _, _): book = try RoomBook(frames)
        case .appended(let frame): try book.apply(frame)
        default: break
        }
    }
}
