import ChatDomain
import ChatModel
import FoundationEssentials
import Glibc

extension DataFolderTools {
    /// The chat that the files of an import come from.
    public enum ImportFormat: String, Sendable, CaseIterable {
        /// Lines as `belfry data export` writes them, or the data exports of Sendbird and Stream.
        case belfry, sendbird, stream
    }

    /// The choices of an import.
    public struct ImportOptions: Sendable {
        /// The format of the files.
        public var format = ImportFormat.belfry
        /// The import's id, under which it continues after an interruption.
        public var id: String
        /// The name of the chat that the files come from, which is part of the message ids; by default the format's.
        public var source: String?
        /// Whether to check the files against the folder without changing it.
        public var isDryRun = false
        /// The settings of the chat, whose limits apply.
        public var configuration = Configuration()

        /// Creates options for Belfry's own format.
        public init(id: String) { self.id = id }
    }

    /// How far an import has come.
    public struct ImportProgress: Sendable, Equatable {
        /// The number of lines accepted, including those of earlier runs.
        public var lines: Int
        /// The number of channels created.
        public var channels: Int
        /// The number of messages added.
        public var messages: Int

        init(_ view: Import) {
            (lines, channels, messages) = (view.lastLine, view.channelCount, view.messageCount)
        }
    }

    /// Imports files into the data folder of a server that does not run, and opens the imported channels (`PR3`).
    ///
    /// Reads the files line by line. Lines are accepted in batches of up to 250, whole or not at all. When a line cannot
    /// be imported, the import stops before its batch; after an interruption or a correction it continues there. The
    /// channels stay hidden until all lines are accepted.
    ///
    /// - Parameters:
    ///   - files: The files, in the order in which to read them.
    ///   - path: The data folder; created if missing.
    ///   - options: What the files are, and whether to write anything.
    ///   - progress: Called after each batch.
    /// - Throws: With exit code 65 for a line that cannot be imported, 66 for a file that cannot be read, otherwise as
    ///   for a server that starts.
    public static func importFiles(
        _ files: [String], into path: String, _ options: ImportOptions, progress: (ImportProgress) -> Void = { _ in }
    ) throws(ConfigurationError) -> ImportProgress {
        for file in files where access(file, R_OK) != 0 {
            throw ImportFile.unreadable(file, code: errno)
        }
        let target: any ImportTarget
        if options.isDryRun {
            target = try DryRunTarget(path, options.configuration.chat)
        } else {
            target = try EngineTarget(path, options.configuration)
        }
        let result: Result<ImportProgress, ConfigurationError>
        do throws(ConfigurationError) {
            result = .success(try run(files, options, target, progress))
        } catch {
            result = .failure(error)
        }
        try target.close()
        return try result.get()
    }

    private static func run(
        _ files: [String], _ options: ImportOptions, _ target: any ImportTarget,
        _ progress: (ImportProgress) -> Void
    ) throws(ConfigurationError) -> ImportProgress {
        let source = options.source ?? options.format.rawValue
        var view = try target.run(BeginImport(importID: options.id, source: source)).import
        guard view.state == .running || view.state == .finishing || view.state == .finished else {
            throw ConfigurationError("the import \"\(options.id)\" was discarded: choose another --id")
        }
        if view.state == .running {
            var batch = ImportBatch(options.id, after: view.lastLine)
            for file in files {
                var reader = try ImportFile(file, options.format)
                while let line = try reader.next() {
                    guard let full = batch.add(line) else { continue }
                    view = try target.add(full)
                    progress(ImportProgress(view))
                }
                try reader.checkEnd()
            }
            if let rest = batch.rest() {
                view = try target.add(rest)
                progress(ImportProgress(view))
            }
            guard batch.lastLine >= view.lastLine else {
                throw ConfigurationError(
                    "the files have \(batch.lastLine) lines, but \(view.lastLine) were accepted: "
                        + "pass the same files in the same order, or choose another --id", exitCode: EX_DATAERR)
            }
        }
        while view.state != .finished { view = try target.run(FinishImport(importID: options.id)).import }
        return ImportProgress(view)
    }
}

/// A line of an import and where it stands.
struct PlacedLine {
    let line: ImportLine
    /// The file and the line or element in it, for errors.
    let place: String
    /// The size of its text in bytes.
    let size: Int
}

/// Collects the lines that were not accepted yet, as many as one command takes.
struct ImportBatch {
    struct Full {
        let request: AddImportLines
        fileprivate let places: [String]

        /// Names the place of the line that a refusal is about.
        func explain(_ refusal: Rejection) -> String {
            let message = refusal.message
            for (index, place) in places.enumerated() {
                let name = "line \(request.firstLine + index)"
                guard let detail = refusal.detail, detail == name || detail.hasPrefix(name + ":") else { continue }
                let rest = detail.dropFirst(name.count)
                return "\(place): " + message.prefix(message.count - detail.count - 2) + rest
            }
            return message
        }
    }

    /// The size of a batch in bytes; one line may exceed it.
    private static let byteLimit = 524_288

    private let id: String
    private let accepted: Int
    /// The number of the last line read.
    private(set) var lastLine = 0
    private var lines: [PlacedLine] = []
    private var size = 0

    /// - Parameter accepted: The number of lines to skip, which earlier runs have added.
    init(_ id: String, after accepted: Int) {
        self.id = id
        self.accepted = accepted
    }

    /// - Returns: A batch without the new line, if it is full.
    mutating func add(_ line: PlacedLine) -> Full? {
        lastLine += 1
        guard lastLine > accepted else { return nil }
        let isFull = lines.count >= FieldLimits.importLinesAtOnce || size + line.size > Self.byteLimit
        let full = isFull ? take(through: lastLine - 1) : nil
        lines.append(line)
        size += line.size
        return full
    }

    mutating func rest() -> Full? { take(through: lastLine) }

    private mutating func take(through last: Int) -> Full? {
        guard !lines.isEmpty else { return nil }
        defer { (lines, size) = ([], 0) }
        return Full(
            request: AddImportLines(
                importID: id, firstLine: last - lines.count + 1, lines: lines.map(\.line)),
            places: lines.map(\.place))
    }
}
