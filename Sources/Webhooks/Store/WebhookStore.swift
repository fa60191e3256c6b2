import Journal

/// What webhooks must not forget, in a folder of its own: how far each has come.
///
///     belfry webhooks 1
///     <webhook> <number of the last frame of which everything was taken or given up>
///     end
///
/// Beside it stand the dead letters. The file is written anew each time and takes the old one's place when all of it is on the disk.
package final class WebhookStore: Sendable {
    static let cursorsName = "cursors"
    static let unfinishedName = "cursors.new"
    private static let head = "belfry webhooks 1"
    private static let end = "end"

    let disk: any Disk
    /// What was found, by webhook; `nil` where there was no file: a server of before there were cursors, or a copy.
    package let found: [String: UInt64]?
    let letters: [DeadLetterFile]

    /// - Throws: When the file is not as it was written: what it said would be missed, so nobody guesses.
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

    /// The frame up to which everything that was found was taken; `nil` where nothing was.
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
            let words = line.split(separator: " ")
            guard words.count == 2, let cursor = UInt64(words[1]) else { throw .damaged(cursorsName) }
            cursors[String(words[0])] = cursor
        }
        return cursors
    }

    /// By one queue at a time.
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
    /// A file that is not as it was written.
    case damaged(String)

    package var description: String {
        switch self {
        case .disk(let error): error.description
        case .damaged(let name):
            "webhooks/\(name) in the data folder is damaged: a server goes on without what it said once it is taken away"
        }
    }
}
