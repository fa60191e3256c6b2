import Journal

/// The persistent state of webhooks, in a separate folder: the position of each webhook.
///
///     belfry webhooks 1
///     <webhook> <number of the last frame whose events were all delivered or given up>
///     end
///
/// Dead letters are in the same folder. Each write makes a new file, which replaces the old one once it is completely
/// on disk.
package final class WebhookStore: Sendable {
    static let cursorsName = "cursors"
    static let unfinishedName = "cursors.new"
    private static let head = "belfry webhooks 1"
    private static let end = "end"

    let disk: any Disk
    /// The positions found at startup, by webhook; `nil` if there was no file, as in a backup or an older server's
    /// folder.
    package let found: [String: UInt64]?
    let letters: [DeadLetterFile]

    /// - Throws: When the file is damaged, because guessed positions could lose events.
    package init(_ disk: any Disk) throws(WebhookStoreError) {
        self.disk = disk
        found = try Self.read(disk)
        letters = try Self.readLetters(disk)
    }

    private static func readLetters(_ disk: any Disk) throws(WebhookStoreError) -> [DeadLetterFile] {
        let names: [String]
        do throws(DiskError) { names = try disk.names() } catch {
            if error.isMissing { return [] }
            throw .disk(error)
        }
        var letters: [DeadLetterFile] = []
        for name in names {
            if let letter = try DeadLetterFile(name, on: disk) { letters.append(letter) }
        }
        return letters
    }

    /// The last frame delivered to every webhook in `found`; `nil` if there is none.
    package var lowest: UInt64? { found?.values.min() }

    private static func read(_ disk: any Disk) throws(WebhookStoreError) -> [String: UInt64]? {
        let bytes: [UInt8]
        do throws(DiskError) { bytes = try disk.read(cursorsName) } catch {
            if error.isMissing { return nil }
            throw .disk(error)
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.first == head[...], lines.count >= 2, lines.last == end[...] else { throw .damaged(cursorsName) }
        var cursors: [String: UInt64] = [:]
        for line in lines.dropFirst().dropLast() {
            let fields = line.split(separator: " ")
            guard fields.count == 2, let cursor = UInt64(fields[1]) else { throw .damaged(cursorsName) }
            cursors[String(fields[0])] = cursor
        }
        return cursors
    }

    /// Writes the positions. Call it from one queue at a time.
    func write(_ cursors: [String: UInt64]) throws(DiskError) {
        let lines = cursors.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let text = ([Self.head] + lines + [Self.end]).joined(separator: "\n") + "\n"
        let file = try disk.create(Self.unfinishedName)
        try file.write(Array(text.utf8), at: 0)
        try file.sync()
        try disk.rename(Self.unfinishedName, to: Self.cursorsName)
        try disk.syncFolder()
    }
}

package enum WebhookStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    case disk(DiskError)
    /// The contents of a file are invalid.
    case damaged(String)

    package var description: String {
        switch self {
        case .disk(let error): error.description
        case .damaged(let name):
            "webhooks/\(name) in the data folder is damaged: delete the file to start without its contents"
        }
    }
}
