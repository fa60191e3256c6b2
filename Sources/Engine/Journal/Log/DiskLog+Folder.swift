import ChatDomain
import Dispatch
import Records

extension DiskLog {
    /// A function that runs a closure on the log's queue after a delay.
    package typealias Later = @Sendable (_ milliseconds: Int, _ body: @escaping @Sendable () -> Void) -> Void

    /// - Parameter folder: The folder; created if missing.
    package convenience init(
        folder: String, queue: any SerialQueue, options: JournalOptions, observer: JournalObserver,
        failed: @escaping @Sendable (DiskError) -> Void
    ) throws(JournalError) {
        let disk = try JournalError.wrapping { () throws(DiskError) in try PosixDisk(folder: folder) }
        try self.init(disk, queue: queue, options: options, observer: observer, failed: failed)
    }

    package var lastSequence: UInt64 { report.last }

    package func base() throws -> (state: ChatState, sequence: UInt64) {
        try StateLoader(disk: disk, report: report, threads: options.decodingThreads).base { observer.damaged($0) }
    }

    package func first(ofLastBytes bytes: Int) -> UInt64 { report.first(ofLast: bytes, from: 1, sizes: \.sizes) }

    package func read(from sequence: UInt64, _ body: (UInt64, [Record]) throws -> Void) throws {
        try JournalReader(disk: disk, report: report, threads: options.decodingThreads).read(from: sequence, body)
    }

    package func fits(_ records: [Record]) -> Bool {
        records.count <= Record.alwaysFit || records.reduce(0) { $0 + $1.largestSize } <= options.largestFrame
    }

    package func append(
        _ records: [Record], expecting sequence: UInt64, note: Note, in reservation: consuming Reservation
    ) {
        append(RecordCoder.encode(records), expecting: sequence, note: note, in: reservation)
    }
}
