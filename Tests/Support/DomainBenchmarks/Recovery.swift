import ChatDomain
import ChatEngine
import ChatModel
import CoreMetrics
import Dispatch
import Foundation
import Gateway
import Journal
import Workloads

/// The startup time of a server with a million messages, and their size on disk. It uses the real engine, rings and
/// journal in a temporary folder, warm in the system's cache.
enum Recovery {
    private static let members = 100
    private static let channels = 100

    /// - Parameter data: The data folder to create and keep; if absent, a temporary one.
    static func measure(_ scale: Int, in data: String?) throws {
        let temporary = FileManager.default.temporaryDirectory.appending(path: "belfry-recovery-\(getpid())").path
        defer { try? FileManager.default.removeItem(atPath: temporary) }
        let path = data ?? temporary
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let folder = path + "/journal"
        let messages = 1_000_000 / scale
        try fill(folder, messages)
        Table.head("start with messages of 40 bytes, each with a client id", "seconds")
        try start("from the journal alone", folder, messages)
        let began = DispatchTime.now().uptimeNanoseconds
        guard let made = try Compaction(PosixDisk(folder: folder), keeping: 100_000 / scale, salt: 1).run() else {
            return
        }
        row("a snapshot is made", messages, seconds(since: began))
        try start("from the snapshot and \(100_000 / scale) frames", folder, messages)
        Table.head("on the disk", "bytes each")
        Table.row("message, in the journal", messages, "\(try size(folder, ".journal") / messages)")
        Table.row("message, in a snapshot", messages, "\(made.bytes / (messages - 100_000 / scale))")
    }

    private static func fill(_ folder: String, _ messages: Int) throws {
        let queue = DispatchQueue(label: "journal")
        let log = try log(folder, queue, of: Int.self)
        var chat = BenchmarkChat()
        var sequence: UInt64 = 0
        chat.written = { records in
            while true {
                guard let reservation = log.reserve() else {
                    queue.sync {}
                    continue
                }
                sequence += 1
                return log.append(records, expecting: sequence, note: 0, in: reservation)
            }
        }
        for number in 0..<members { chat.admit(user(number)) }
        for number in 0..<channels {
            try chat.run(
                CreateChannel(id: channel(number), userIDs: (0..<members).map(user), isPublic: true), as: .server)
        }
        for number in 0..<messages {
            let text = "message \(number) that is forty bytes long"
            try chat.run(
                SendMessage(
                    channelID: channel(number % channels), text: String(text.prefix(40)), clientID: "client-\(number)"),
                as: .user(user(number / channels % members)))
        }
        log.close {}
        queue.sync {}
    }

    private static func log<Note: Sendable>(
        _ folder: String, _ queue: DispatchQueue, of kind: Note.Type = Note.self
    ) throws -> DiskLog<Note> {
        var options = JournalOptions()
        options.durability = .none
        return try DiskLog(
            folder: folder, queue: queue, options: options, observer: JournalObserver(), failed: { fatalError("\($0)") }
        )
    }

    private static func start(_ name: String, _ folder: String, _ messages: Int) throws {
        let began = DispatchTime.now().uptimeNanoseconds
        let queue = DispatchQueue(label: "journal")
        let log: DiskLog<Outcome> = try log(folder, queue)
        row("\(name): files opened and checked", messages, seconds(since: began))
        let publisher = Publisher(
            queue: queue, ports: [], rings: RoomRings.Limits(), metrics: NOOPMetricsHandler.instance)
        let engine = ChatEngine(
            log: log, publisher: publisher, ports: [], settings: ChatSettings(), metrics: NOOPMetricsHandler.instance,
            clock: { 1_780_000_000_000 })
        try engine.restore()
        row("\(name): until commands are taken", messages, seconds(since: began))
        log.close {}
        queue.sync {}
    }

    private static func row(_ name: String, _ count: Int, _ seconds: Double) {
        Table.row(name, count, String(format: "%.2f", seconds))
    }

    private static func seconds(since began: UInt64) -> Double {
        Double(DispatchTime.now().uptimeNanoseconds - began) / 1e9
    }

    private static func size(_ folder: String, _ suffix: String) throws -> Int {
        let disk = try PosixDisk(folder: folder)
        return try disk.names().filter { $0.hasSuffix(suffix) }.reduce(0) { $0 + (try disk.read($1).count) }
    }
}
