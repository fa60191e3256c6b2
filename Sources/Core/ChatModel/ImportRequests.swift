/// An import of another chat's history (`PR3`).
public struct Import: Codable, Hashable, Sendable {
    /// How far an import has come.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// Lines are added; `import.finish` opens or discards the channels, in one call or several; then it has ended.
        case running, finishing, finished, discarding, discarded
    }

    /// The id chosen by the app.
    public var id: String
    /// The name of the chat that the lines come from, which is part of the hash in the ids of messages.
    public var source: String
    /// How far the import has come.
    public var state: State
    /// The number of the last line accepted, counted from 1; 0 if there is none. The next `import.add` continues after
    /// it.
    public var lastLine: Int
    /// The number of channels created.
    public var channelCount: Int
    /// The number of those channels that `import.finish` has opened or discarded.
    public var settledChannelCount: Int
    /// The number of messages added, including replies and deleted ones.
    public var messageCount: Int
    /// When the import began, in milliseconds since 1970.
    public var startedAt: Int64
    /// When the import was finished or discarded, in milliseconds since 1970; absent until then.
    public var endedAt: Int64?

    /// Creates a value from its fields.
    public init(
        id: String, source: String, state: State, lastLine: Int, channelCount: Int, settledChannelCount: Int,
        messageCount: Int, startedAt: Int64, endedAt: Int64? = nil
    ) {
        self.id = id
        self.source = source
        self.state = state
        self.lastLine = lastLine
        self.channelCount = channelCount
        self.settledChannelCount = settledChannelCount
        self.messageCount = messageCount
        self.startedAt = startedAt
        self.endedAt = endedAt
    }

    enum CodingKeys: String, CodingKey {
        case id, source, state
        case lastLine = "last_line"
        case channelCount = "channel_count"
        case settledChannelCount = "settled_channel_count"
        case messageCount = "message_count"
        case startedAt = "started_at"
        case endedAt = "ended_at"
    }
}

/// The import after the command.
public struct ImportResponse: Codable, Hashable, Sendable {
    /// The import.
    public var `import`: Import
    /// Creates a value from its fields.
    public init(import: Import) { self.import = `import` }
}

/// Begins an import, or returns the one with this id. Server only (`PR3`).
///
/// At most 4 imports can be under way. The ids of the last imports that have ended stay known, so that beginning one of
/// them again does not import it twice.
public struct BeginImport: Request {
    /// The response to `import.begin`.
    public typealias Response = ImportResponse
    /// The method name.
    public static let method = "import.begin"
    /// The import's id: `[A-Za-z0-9_.~-]{1,100}`.
    public var importID: String
    /// The name of the chat that the lines come from: `[A-Za-z0-9_.~-]{1,100}`. Equal names and ids give equal message
    /// ids.
    public var source: String

    /// Creates an `import.begin` request.
    public init(importID: String, source: String) {
        self.importID = importID
        self.source = source
    }

    enum CodingKeys: String, CodingKey {
        case source
        case importID = "import_id"
    }
}

/// Adds lines to an import: all of them, or none if one cannot be imported; the error names that line. Lines up to the
/// last one accepted are skipped. Server only (`PR3`).
public struct AddImportLines: Request {
    /// The response to `import.add`.
    public typealias Response = ImportResponse
    /// The method name.
    public static let method = "import.add"
    /// The import.
    public var importID: String
    /// The number of the first of these lines, counted from 1 through all lines of the import; at most one more than
    /// `last_line`.
    public var firstLine: Int
    /// The lines, as in an export: 1–250.
    public var lines: [ImportLine]

    /// Creates an `import.add` request.
    public init(importID: String, firstLine: Int, lines: [ImportLine]) {
        self.importID = importID
        self.firstLine = firstLine
        self.lines = lines
    }

    enum CodingKeys: String, CodingKey {
        case lines
        case importID = "import_id"
        case firstLine = "first_line"
    }
}

/// Opens the channels of an import to their members, or discards them. Server only (`PR3`).
///
/// One call settles up to 100 channels and about 5,000 memberships; call it again until `state` is `finished` or
/// `discarded`.
public struct FinishImport: Request {
    /// The response to `import.finish`.
    public typealias Response = ImportResponse
    /// The method name.
    public static let method = "import.finish"
    /// The import.
    public var importID: String
    /// Whether to discard the channels instead; false if absent. Users stay.
    public var discard: Bool?

    /// Creates an `import.finish` request; nil arguments are omitted.
    public init(importID: String, discard: Bool? = nil) {
        self.importID = importID
        self.discard = discard
    }

    enum CodingKeys: String, CodingKey {
        case discard
        case importID = "import_id"
    }
}

/// Returns how far an import has come. Server only (`PR3`).
public struct GetImportStatus: Request {
    /// The response to `import.status`.
    public typealias Response = ImportResponse
    /// The method name.
    public static let method = "import.status"
    /// The import.
    public var importID: String

    /// Creates an `import.status` request.
    public init(importID: String) { self.importID = importID }

    enum CodingKeys: String, CodingKey { case importID = "import_id" }
}
