import ChatModel

extension ExportUser: ExportQuery {
    var scope: ExportScope { .user(userID) }

    /// - Throws: 1009 for another user than the caller, and unless the setting allows it; 1000 for a user who does not
    ///   exist or is being deleted.
    func subject(in state: ChatState, _ context: Context) throws(Rejection) -> [String] {
        if let caller = context.caller.user {
            guard caller == userID else { throw Rejection(.serverOnly, "user_id: only your own data") }
            guard context.settings.exportsOwnData else {
                throw Rejection(.serverOnly, "exporting your own data (export.own_data)")
            }
        }
        return [Self.method, userID.rawValue, try state.user(userID).inboxEpoch]
    }
}

extension ExportChannel: ExportQuery {
    var scope: ExportScope { .channel(channelID) }

    /// - Throws: 1000 for a channel that does not exist or is hidden by an import.
    func subject(in state: ChatState, _ context: Context) throws(Rejection) -> [String] {
        [Self.method, channelID.rawValue, try state.visibleChannel(channelID, to: context.caller).epoch]
    }
}

/// A page of an export. Other commands may change the chat between its slices, and its texts may be on disk.
protocol ExportQuery: Query where Response == ExportResponse {
    var limit: Int? { get }
    var next: String? { get }
    var scope: ExportScope { get }
    /// Checks the caller's rights.
    ///
    /// - Returns: What a token belongs to: the method, the id, and the epoch of the room, which differs if the id is
    ///   used again.
    func subject(in state: ChatState, _ context: Context) throws(Rejection) -> [String]
}

extension ExportQuery {
    package func begin(in state: ChatState, _ context: Context) throws(Rejection) -> QueryStep<ExportResponse> {
        let run = try ExportRun(self, in: state, context)
        // An attempt that misses texts repeats its step, so the first one must not be this one, which makes the run.
        return .unfinished { (state, context) throws(Rejection) in try step(run, in: state, context) }
    }

    private func step(
        _ run: ExportRun, in state: ChatState, _ context: Context
    ) throws(Rejection) -> QueryStep<ExportResponse> {
        guard try subject(in: state, context) == run.subject else { throw Rejection(.notFound) }
        if let page = run.advance(in: state, context) { return .answered(page) }
        return .unfinished { (state, context) throws(Rejection) in try step(run, in: state, context) }
    }

    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> ExportResponse {
        let run = try ExportRun(self, in: state, context)
        while true {
            context.work.beginSlice()
            if let page = run.advance(in: state, context) { return page }
        }
    }
}

/// One page of an export in progress. Touched only on the queue that owns the state.
private final class ExportRun {
    /// Messages examined for one page, so that a user's few messages among others' do not block anyone.
    static let examinedLimit = 100_000
    /// How often a page waits for texts from the disk, at most; it then ends before the next one.
    static let loadLimit = 8
    static let channelsAtOnce = examinedLimit / ExportWalk.channelCost

    let subject: [String]
    private let limit: Int
    /// The number of lines on earlier pages.
    private let before: Int
    private var walk: ExportWalk
    private var lines: [ExportLine] = []
    private var budget: AnswerBudget
    private var loads = 0

    init(_ query: some ExportQuery, in state: ChatState, _ context: Context) throws(Rejection) {
        let subject = try query.subject(in: state, context)
        try FieldChecks.size(query.limit, "limit", 1...FieldLimits.exportPageSize)
        let token = try query.next.map { text throws(Rejection) in
            try ExportToken(text, of: query.scope, for: subject)
        }
        self.subject = subject
        limit = query.limit ?? FieldLimits.defaultExportPageSize
        before = token?.lines ?? 0
        walk = ExportWalk(
            query.scope, from: token?.place ?? ExportPlace(), keysAtOnce: limit, channelsAtOnce: Self.channelsAtOnce)
        budget = AnswerBudget(context)
    }

    /// - Returns: The page; nil if the slice is over, or texts are missing.
    func advance(in state: ChatState, _ context: Context) -> ExportResponse? {
        while lines.count < limit, walk.examined < Self.examinedLimit, loads <= Self.loadLimit || lines.isEmpty {
            if context.work.isSliceOver { return nil }
            var ahead = walk
            switch ahead.next(in: state, context.work) {
            case .line(let line):
                guard !state.blocks.hasMissed else {
                    loads += 1
                    if loads <= Self.loadLimit { lookAhead(from: ahead, in: state, context.work) }
                    return nil
                }
                guard budget.reserve(line) else { return page }
                lines.append(line)
                walk = ahead
            case .unfinished: walk = ahead
            case .over: return ExportResponse(lines: lines + [.end(lines: before + lines.count)])
            }
        }
        return page
    }

    private var page: ExportResponse {
        let token = ExportToken(place: walk.place, lines: before + lines.count)
        return ExportResponse(lines: lines, next: token.text(for: subject))
    }

    /// Looks for further texts that the page will need, so that all of them are read at once.
    private func lookAhead(from walk: ExportWalk, in state: ChatState, _ work: WorkMeter) {
        var ahead = walk
        var count = lines.count + 1
        while count < limit, ahead.examined < Self.examinedLimit, !state.blocks.notesNoMore, !work.isSliceOver {
            switch ahead.next(in: state, work) {
            case .line(let line):
                // Only built, not encoded.
                work.charge(WorkCost.entry + line.wireSize)
                count += 1
            case .unfinished: continue
            case .over: return
            }
        }
    }
}
