import ChatDomain
import ChatModel
import Glibc
import Journal
import WireProtocol

extension DataFolderTools {
    /// The part of a chat to export.
    public enum ExportedPart: Sendable {
        /// The whole app.
        case everything
        /// What the chat knows of the user with this id and what the user wrote, without messages and reactions by
        /// others.
        case user(String)
        /// The channel with this id, with its members and messages.
        case channel(String)
    }

    /// Writes a chat, or a part of it, as JSON Lines (`PR2`), even while a server uses the folder. Contains everything
    /// acknowledged before the call. Reads the whole chat into memory, as a start does, but holds only a few lines of
    /// the export at a time.
    ///
    /// - Parameters:
    ///   - path: The data folder, or a backup of one.
    ///   - part: The part to export.
    ///   - descriptor: The file to write to, which stays open.
    /// - Throws: When the folder cannot be read or is damaged, the user or channel does not exist (exit code 66), or
    ///   the file cannot be written (exit code 74).
    public static func export(
        _ path: String, _ part: ExportedPart = .everything, to descriptor: Int32
    ) throws(ConfigurationError) {
        let journal = path + "/journal"
        try DataFolder.checkOwner(journal)
        let state = try naming { () throws(JournalError) in
            let lock = try lock(journal)
            defer { withExtendedLifetime(lock) {} }
            return try ReadOnlyJournal(folder: journal).state { _ in }
        }
        var output = LineOutput(descriptor)
        try state.export(try part.scope(in: state)) { line throws(ConfigurationError) in try output.add(line) }
        try output.add(.end(lines: output.lines))
        try output.flush()
    }
}

extension DataFolderTools.ExportedPart {
    fileprivate func scope(in state: ChatState) throws(ConfigurationError) -> ExportScope {
        switch self {
        case .everything: return .everything
        case .user(let text):
            guard let id = UserID(text), state.knows(id) else { throw notFound("user", text) }
            return .user(id)
        case .channel(let text):
            guard let id = ChannelID(text), state.knows(id) else { throw notFound("channel", text) }
            return .channel(id)
        }
    }

    private func notFound(_ kind: String, _ id: String) -> ConfigurationError {
        ConfigurationError("there is no \(kind) \"\(id)\"", exitCode: EX_NOINPUT)
    }
}

/// Writes lines to a file, many at a time.
private struct LineOutput {
    /// The number of bytes to collect before writing.
    private static let batch = 65_536

    private let descriptor: Int32
    private var bytes: [UInt8] = []
    private(set) var lines = 0

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    mutating func add(_ line: ExportLine) throws(ConfigurationError) {
        bytes += WireEncoder().encode(line)
        bytes.append(UInt8(ascii: "\n"))
        lines += 1
        if bytes.count >= Self.batch { try flush() }
    }

    mutating func flush() throws(ConfigurationError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw ConfigurationError(
                    "cannot write the export: \(String(cString: strerror(errno)))", exitCode: EX_IOERR)
            }
            rest = rest.dropFirst(count)
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
