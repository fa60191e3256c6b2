import ChatModel
import Journal

/// A file with one dead letter, an undelivered event.
///
///     belfry dead letter 1
///     <event id> <type> <given up at, milliseconds> <attempts> <status of the last answer, 0 for none> <frame>
///     <body>
///
/// Older files have no frame.
struct DeadLetterFile {
    /// Orders a webhook's letters by the time they were given up.
    let serial: UInt64
    let webhook: String
    /// The frame of the event in the log; 0 if unknown.
    let frame: UInt64
    var letter: DeadLetter

    private static let head = "belfry dead letter 1"
    private static let prefix = "dead"
    private static let unfinishedSuffix = ".new"
    /// An upper bound on the size of the first two lines.
    private static let headBytes = 1_024

    var name: String {
        let digits = String(serial, radix: 16)
        return "\(Self.prefix).\(webhook).\(String(repeating: "0", count: 16 - digits.count))\(digits)"
    }

    /// The name while the file is being written.
    var unfinishedName: String { name + Self.unfinishedSuffix }

    /// Removes a file left unfinished by an earlier process. Its event will be delivered again.
    static func clean(_ disk: any Disk) {
        for name in (try? disk.names()) ?? [] where name.hasPrefix(prefix + ".") && name.hasSuffix(unfinishedSuffix) {
            try? disk.remove(name)
        }
    }

    func encoded(_ body: [UInt8]) -> [UInt8] {
        let line = "\(letter.eventID) \(letter.type) \(letter.at) \(letter.attempts) \(letter.status ?? 0) \(frame)"
        return Array("\(Self.head)\n\(line)\n".utf8) + body
    }

    init(serial: UInt64, webhook: String, frame: UInt64, letter: DeadLetter) {
        self.serial = serial
        self.webhook = webhook
        self.frame = frame
        self.letter = letter
    }

    /// - Returns: `nil` when the name is not that of a dead letter.
    /// - Throws: When the file is damaged.
    init?(_ name: String, on disk: any Disk) throws(WebhookStoreError) {
        let parts = name.split(separator: ".")
        guard parts.count == 3, parts[0] == Self.prefix[...], let serial = UInt64(parts[2], radix: 16)
        else { return nil }
        let bytes: [UInt8]
        do throws(DiskError) { bytes = try disk.read(name, at: 0, upTo: Self.headBytes) } catch { throw .disk(error) }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 3, lines[0].elementsEqual(Self.head.utf8) else { throw .damaged(name) }
        let fields = String(decoding: lines[1], as: UTF8.self).split(separator: " ")
        guard (5...6).contains(fields.count), let at = Int64(fields[2]), let attempts = Int(fields[3]),
            let status = Int(fields[4]), let frame = UInt64(fields.dropFirst(5).first ?? "0")
        else { throw .damaged(name) }
        self.init(
            serial: serial, webhook: String(parts[1]), frame: frame,
            letter: DeadLetter(
                eventID: String(fields[0]), type: String(fields[1]), at: at, attempts: attempts,
                status: status == 0 ? nil : status))
    }

    func body(on disk: any Disk) throws(DiskError) -> [UInt8] {
        let bytes = try disk.read(name)
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        return lines.count == 3 ? Array(lines[2]) : []
    }
}
