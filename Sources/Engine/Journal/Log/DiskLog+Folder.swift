import ChatDomain
import Dispatch

extension DiskLog {
    /// - Parameter folder: The folder; created if missing.
    package convenience init(
        folder: String, queue: DispatchQueue, options: JournalOptions, observer: JournalObserver,
        failed: @escaping @Sendable (DiskError) -> Void
    ) throws(JournalError) {
        let disk = try JournalError.wrapping { () throws(DiskError) in try PosixDisk(folder: folder) }
        try self.init(disk, queue: queue, options: options, observer: observer, failed: failed)
    }

    package var lastSequence: UInt64 { report.last }

    package func base() throws -> (state: ChatState, sequence: UInt64) {
        try StateLoader(disk: disk, report: report).base { observer.damaged($0) }
    }

    package func first(ofLastBytes bytes: Int) -> UInt64 { report.first(ofLast: bytes, from: 1, sizes: \.sizes) }

    package func read(from sequence: UInt64, _ body: (UInt64, [Record]) throws -> Void) throws {
        try JournalReader(disk: disk, report: report).read(from: sequence, body)
    }
}
