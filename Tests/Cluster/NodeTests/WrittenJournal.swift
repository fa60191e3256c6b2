import ChatDomain
import ChatModel
import Dispatch
import Foundation
import Journal
import Synchronization
import Testing

/// A journal in a folder, with a new user in each frame. Callable from any thread.
final class WrittenJournal: Sendable {
    let folder: String
    private let log: DiskLog<Int>
    private let queue = DispatchQueue(label: "journal")

    init(_ folder: String, segmentBytes: Int) throws {
        self.folder = folder
        var options = JournalOptions()
        options.segmentBytes = segmentBytes
        log = try DiskLog(folder: folder, queue: queue, options: options, observer: JournalObserver()) { _ in }
    }

    var last: UInt64 { log.lastAppended }

    /// - Parameter bytes: Of the user's metadata.
    func append(_ count: Int, bytes: Int) throws {
        for _ in 0..<count {
            let number = log.lastAppended + 1
            let id = try #require(UserID("user\(number)"))
            let event = Event.userCreated(
                .init(id: id, nickname: String(repeating: "x", count: bytes), metadata: [:], inboxEpoch: "i"))
            let reservation = try reserve()
            log.append(
                [Record(event: event, at: Int64(number), by: nil, positions: [])], expecting: number, note: 0,
                in: reservation)
            // Several frames share a sync, and not all of them a segment.
            if number % 20 == 0 { queue.sync {} }
        }
        queue.sync {}
        #expect(log.lastSynced == log.lastAppended)
    }

    private func reserve() throws -> Reservation {
        if let reservation = log.reserve(isForServer: true) { return reservation }
        // What waits for the disk takes all the space of a small segment.
        queue.sync {}
        guard let reservation = log.reserve(isForServer: true) else { throw CocoaError(.fileWriteOutOfSpace) }
        return reservation
    }

    /// Writes a snapshot of the closed segments.
    func compact() throws {
        log.rotate()
        queue.sync {}
        let result = try Compaction(PosixDisk(existing: folder), keeping: 5, salt: 9).run()
        #expect(result != nil)
    }

    /// The number of users.
    func state() throws -> Int { try ReadOnlyJournal(folder: folder).state { _ in }.userCount }

    /// Checks that a copy has one user for each frame.
    func check(copy: PosixDisk, through last: UInt64) throws {
        let journal = try ReadOnlyJournal(copy)
        #expect(journal.report.last == last)
        #expect(try journal.state { _ in }.userCount == Int(last))
    }
}
