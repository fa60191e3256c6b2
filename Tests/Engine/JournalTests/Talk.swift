import ChatDomain
import ChatModel
import Dispatch
import Foundation
import Journal
import Simulation
import Testing

/// A journal of a chat in which ann talks. Its first frame creates her and the channel, and each later one has a
/// message.
final class Talk {
    let log: DiskLog<UInt64>
    private let queue = DispatchQueue(label: "talk")
    private var state = ChatState()
    private var next: UInt64 = 1

    /// - Parameter state: The state at the time when the log is opened.
    init(_ disk: SimulatedDisk, segmentBytes: Int = 1_024, observer: JournalObserver = JournalObserver()) throws {
        var options = JournalOptions()
        options.segmentBytes = segmentBytes
        log = try DiskLog(disk, queue: queue, options: options, observer: observer, salts: SplitMix(seed: 3)) { _ in }
        let base = try log.base()
        (state, next) = (base.state, base.sequence + 1)
        try log.read(from: next) { sequence, records in
            for record in records {
                #expect(state.expects(record))
                state.evolve(record)
            }
            next = sequence + 1
        }
    }

    var frames: UInt64 { next - 1 }

    var parts: [StatePart] {
        var parts: [StatePart] = []
        state.parts { parts.append($0) }
        return parts
    }

    func talk(_ count: Int = 1) throws {
        for _ in 0..<count {
            guard let reservation = log.reserve() else { throw CocoaError(.fileWriteOutOfSpace) }
            let records = try next == 1 ? Self.beginning() : [Self.message(next)]
            for record in records { state.evolve(record) }
            log.append(records, expecting: next, note: next, in: reservation)
            next += 1
            settle()
        }
    }

    func settle() { queue.sync {} }

    func close() {
        log.close {}
        settle()
    }

    private static func beginning() throws -> [Record] {
        let (ann, general) = (try valid(UserID("ann")), try valid(ChannelID("general")))
        let channel = Event.ChannelCreated(
            id: general, epoch: "e", name: "General", isPublic: true, isSuper: false, metadata: [:], creator: ann,
            creatorRole: .operator)
        return [
            Record(
                event: .userCreated(.init(id: ann, nickname: "Ann", metadata: [:], inboxEpoch: "i")), at: 1, by: ann,
                positions: []),
            Record(
                event: .channelCreated(channel), at: 1, by: ann, positions: [.init(room: .channel(general), offset: 1)]),
        ]
    }

    private static func message(_ number: UInt64) throws -> Record {
        let (ann, general) = (try valid(UserID("ann")), try valid(ChannelID("general")))
        let sent = Event.MessageSent(
            channel: general, id: MessageID(high: 1, low: number), kind: .text,
            text: String(repeating: "x", count: Int(number % 9)), sender: ann, clientID: "c\(number)", parent: nil,
            replyToChannel: false)
        return Record(
            event: .messageSent(sent), at: Int64(number), by: ann,
            positions: [.init(room: .channel(general), offset: number)])
    }
}

extension SimulatedDisk {
    /// Writes a snapshot of all but the last closed frames.
    @discardableResult
    func compact(keeping kept: Int = 5) throws -> Compaction.Result? {
        try Compaction(self, keeping: kept, salt: 9).run()
    }

    func names(_ suffix: String) throws -> [String] { try names().filter { $0.hasSuffix(suffix) } }
}
