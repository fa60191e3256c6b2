import ChatDomain
import ChatModel
import Glibc
import Journal

/// The deletions of users that a data folder has seen (`PR1`), in a file that outlives the chat's own data: with it, a
/// chat restored from an older backup repeats what was deleted since.
///
///     belfry erasures 1
///     <alias> <key of the id, hexadecimal> <tokens refused before, seconds> <kept or deleted messages> gone
///     <alias> <key> <seconds> <kept or deleted> <id in hexadecimal UTF-8, or ->
///     end
///
/// A line names the user only until nothing on the disk does. Each change writes a new file that replaces the old one.
struct ErasureLedger {
    struct Entry: Equatable {
        let erased: ErasedUser
        /// The deleted user, if it is known here.
        var user: UserID?
        /// Whether nothing on this disk names the user any longer.
        var isGone: Bool
    }

    static let name = "erasures"
    private static let unfinishedName = "erasures.new"
    private static let head = "belfry erasures 1"
    private static let end = "end"

    private let disk: PosixDisk
    private(set) var entries: [UserID: Entry] = [:]
    /// Whether the file lacks a change.
    var isUnwritten = false

    /// - Throws: When the file is damaged: guessing could bring a deleted user back.
    init(_ folder: String) throws(ConfigurationError) {
        disk = PosixDisk(existing: folder)
        let bytes: [UInt8]
        do throws(DiskError) { bytes = try disk.read(Self.name) } catch {
            if error.code == ENOENT { return }
            throw Storage.refusal(.disk(error))
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.first == Self.head[...], lines.count >= 2, lines.last == Self.end[...] else { throw Self.damaged }
        for line in lines.dropFirst().dropLast() {
            guard let entry = Entry(line) else { throw Self.damaged }
            entries[entry.erased.alias] = entry
        }
    }

    private static let damaged = ConfigurationError(
        "\"\(name)\" in the data folder is damaged: take it from another node or backup, or delete it if no user was "
            + "deleted since the last backup", exitCode: EX_DATAERR)

    /// Adds a deletion. One that is in the ledger begins anew with a user: a restored chat repeats it.
    ///
    /// - Returns: Whether that changes anything.
    @discardableResult
    mutating func add(_ erased: ErasedUser, of user: UserID?) -> Bool {
        if let known = entries[erased.alias], user == nil || known.user == user { return false }
        entries[erased.alias] = Entry(erased: erased, user: user, isGone: false)
        isUnwritten = true
        return true
    }

    mutating func recordGone(_ aliases: some Sequence<UserID>) {
        for alias in aliases {
            entries[alias]?.isGone = true
            entries[alias]?.user = nil
            isUnwritten = true
        }
    }

    /// The deletions, sorted by alias.
    var sorted: [Entry] { entries.keys.sorted().compactMap { entries[$0] } }

    func write() throws(DiskError) {
        let lines = [Self.head] + sorted.map(\.line) + [Self.end]
        let file = try disk.create(Self.unfinishedName)
        try file.write(Array((lines.joined(separator: "\n") + "\n").utf8), at: 0)
        try file.sync()
        try disk.rename(Self.unfinishedName, to: Self.name)
        try disk.syncFolder()
    }
}

extension ErasureLedger.Entry {
    fileprivate static let gone = "gone"
    fileprivate static let unknown = "-"

    fileprivate init?(_ line: Substring) {
        let fields = line.split(separator: " ")
        guard fields.count == 5, let alias = UserID(String(fields[0])), let key = UInt64(fields[1], radix: 16),
            let before = Int64(fields[2]), ["kept", "deleted"].contains(fields[3])
        else { return nil }
        let text = String(fields[4])
        isGone = text == Self.gone
        if !isGone, text != Self.unknown {
            guard let id = UserID(hexadecimal: text) else { return nil }
            user = id
        } else {
            user = nil
        }
        erased = ErasedUser(key: key, alias: alias, before: before, deletesMessages: fields[3] == "deleted")
    }

    fileprivate var line: String {
        let key = String(erased.key, radix: 16)
        let messages = erased.deletesMessages ? "deleted" : "kept"
        return "\(erased.alias) \(key) \(erased.before) \(messages) "
            + (isGone ? Self.gone : user?.hexadecimal ?? Self.unknown)
    }
}

extension UserID {
    fileprivate var hexadecimal: String {
        rawValue.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    fileprivate init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { return nil }
        self.init(decoded)
    }
}
