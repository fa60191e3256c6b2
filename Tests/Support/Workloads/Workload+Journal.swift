import ChatDomain
import Dispatch
import Foundation
import Journal

extension Workload {
    /// Removes its folder when released.
    private final class TemporaryJournal {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-workload-\(UUID())").path
        let queue = DispatchQueue(label: "journal")
        let kept = DispatchSemaphore(value: 0)
        let log: DiskLog<Int>
        var sequence: UInt64 = 0

        init() throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            var options = JournalOptions()
            options.durability = .none
            log = try DiskLog(folder: folder, queue: queue, options: options, observer: JournalObserver()) { _ in }
            let kept = kept
            log.follow { for _ in $0 { kept.signal() } }
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        /// Appends the next frames, which share a write.
        func append(_ count: Int, of records: [Record]) throws {
            var full = false
            log.batch {
                for _ in 0..<count {
                    guard let reservation = log.reserve() else { return full = true }
                    sequence += 1
                    log.append(records, expecting: sequence, note: 0, in: reservation)
                }
            }
            if full { throw Unexpected() }
            for _ in 0..<count { kept.wait() }
        }
    }

    /// Appending one at a time would count how often the queue is woken in between.
    static let journal = [
        Workload("journal: append 64 at once, until they are written, unsynced") {
            let journal = try TemporaryJournal()
            let records = try sent().records
            return { try journal.append(64, of: records) }
        }
    ]
}
