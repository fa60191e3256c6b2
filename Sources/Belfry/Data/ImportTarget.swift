import ChatDomain
import ChatEngine
import ChatModel
import CoreMetrics
import Dispatch
import EventLoops
import Gateway
import Glibc
import Journal
import Logging
import Synchronization

/// What an import into a data folder adds to.
protocol ImportTarget {
    func execute<C: Change>(_ change: C) -> Result<C.Response, Rejection>
    /// Completes everything and lets the folder go.
    func close() throws(ConfigurationError)
}

extension ImportTarget {
    func run<C: Change>(_ change: C) throws(ConfigurationError) -> C.Response {
        switch execute(change) {
        case .success(let response): return response
        case .failure(let refusal): throw ConfigurationError(refusal.message, exitCode: refusal.exitCode)
        }
    }

    func add(_ batch: ImportBatch.Full) throws(ConfigurationError) -> Import {
        switch execute(batch.request) {
        case .success(let response): return response.import
        case .failure(let refusal): throw ConfigurationError(batch.explain(refusal), exitCode: refusal.exitCode)
        }
    }
}

extension Rejection {
    /// A full or broken disk is not the fault of the files.
    fileprivate var exitCode: Int32 { code == .storageUnavailable ? EX_IOERR : EX_DATAERR }
}

/// The engine of a server without network, on a folder that it has locked.
final class EngineTarget: ImportTarget {
    private let folder: DataFolder
    private let storage: Storage
    private let engine: ChatEngine
    /// Why the journal cannot be written any more; the engine then answers nothing.
    private let failure = AnswerBox()

    /// - Throws: When a server uses the folder, it belongs to a node of a cluster, or its journal cannot be used.
    init(_ path: String, _ configuration: Configuration) throws(ConfigurationError) {
        folder = try DataFolder(path)
        guard ClusterFolder(path).stream == nil else {
            throw ConfigurationError(
                "\"\(path)\" belongs to a node of a cluster: import with the commands import.begin, import.add and "
                    + "import.finish, which all nodes hear of")
        }
        let metrics = NOOPMetricsHandler.instance
        let logger = Logger(label: "belfry", factory: { _ in SwiftLogNoOpLogHandler() })
        // Events that webhooks have not received yet must stay in the journal.
        let cursor = try WebhookFolder.lowestCursor(of: path)
        storage = try Storage(folder, limits: configuration.limits, metrics: metrics, logger: logger)
        let publisher = Publisher(
            queue: storage.queue, ports: [], rings: configuration.limits.rings, metrics: metrics)
        engine = ChatEngine(
            log: storage.log, publisher: publisher, ports: [], settings: configuration.chat,
            limits: configuration.limits.engine, metrics: metrics, random: SystemEntropy(),
            clock: configuration.clock)
        try storage.restore(engine, snapshotsThrough: { cursor ?? .max })
        Task { [storage, failure] in
            guard let reason = await storage.failure() else { return }
            failure.set(.failure(Rejection(.storageUnavailable, reason.description)))
        }
    }

    func execute<C: Change>(_ change: C) -> Result<C.Response, Rejection> {
        let done = DispatchSemaphore(value: 0)
        let box = AnswerBox()
        engine.change(
            change, as: .server,
            answerTo: ReturnAddress {
                box.set($0)
                done.signal()
            })
        while done.wait(timeout: .now() + .milliseconds(500)) == .timedOut {
            if failure.isSet { return failure.response() }
        }
        return box.response()
    }

    func close() throws(ConfigurationError) {
        let log = storage.log
        wait { log.close($0) }
        wait { storage.stopSnapshots($0) }
        withExtendedLifetime(folder) {}
    }

    /// Waits for a step, but not for a journal that cannot be written.
    private func wait(_ begin: (@escaping @Sendable () -> Void) -> Void) {
        let done = DispatchSemaphore(value: 0)
        begin { done.signal() }
        while !failure.isSet, done.wait(timeout: .now() + .milliseconds(500)) == .timedOut {}
    }
}

/// The answer to one command, set on the engine's queue and read after a signal.
private final class AnswerBox: Sendable {
    private let answer = Mutex<Answer?>(nil)

    var isSet: Bool { answer.withLock { $0 != nil } }

    func set(_ new: Answer) { answer.withLock { $0 = new } }

    func response<Response>() -> Result<Response, Rejection> {
        switch answer.withLock({ $0 }) {
        case .success(let response as Response): .success(response)
        case .failure(let refusal): .failure(refusal)
        case .success, nil: .failure(Rejection(.internal))
        }
    }
}

/// The state of a folder in memory, which changes without being written.
final class DryRunTarget: ImportTarget {
    private let state: ChatState
    private let settings: ChatSettings
    private var generator = SystemRandomNumberGenerator()

    /// - Throws: When the folder's journal cannot be read. A folder that does not exist is an empty chat.
    init(_ path: String, _ settings: ChatSettings) throws(ConfigurationError) {
        let journal = path + "/journal"
        self.settings = settings
        guard access(journal, F_OK) == 0 else {
            state = ChatState()
            return
        }
        try DataFolder.checkOwner(journal)
        state = try DataFolderTools.naming { () throws(JournalError) in
            let lock = try DataFolderTools.lock(journal)
            defer { withExtendedLifetime(lock) {} }
            return try ReadOnlyJournal(folder: journal).state { _ in }
        }
    }

    func execute<C: Change>(_ change: C) -> Result<C.Response, Rejection> {
        let now = max(WallClock.milliseconds(), state.lastAt)
        let context = Context(
            caller: .server, now: now,
            freshID: MessageID(milliseconds: now, random: (generator.next(), generator.next())),
            settings: state.settings(over: settings))
        do throws(Rejection) {
            let records = state.records(of: try change.decide(in: state, context).events, in: context)
            for record in records { state.evolve(record) }
            return .success(try change.response(from: state, context, after: records))
        } catch {
            return .failure(error)
        }
    }

    func close() throws(ConfigurationError) {}
}
