import ChatEngine
import ChatModel
import CoreMetrics
import Glibc
import Journal
import SearchText
import Synchronization
import Testing

@testable import ChatDomain
@testable import SearchIndex

extension UserID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let id = Self(text) else { preconditionFailure("not an id") }
        self = id
    }
}

extension ChannelID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let id = Self(text) else { preconditionFailure("not an id") }
        self = id
    }
}

let general = SearchRoom(id: "general", epoch: "1")
let other = SearchRoom(id: "other", epoch: "2")

func put(
    _ offset: UInt64, _ text: String, in room: SearchRoom = general, by sender: UserID? = "ann",
    kind: MessageKind = .text, hasFiles: Bool = false
) -> SearchChange {
    .put(room, offset: offset, SearchEntry(text: text, sender: sender, kind: kind, hasFiles: hasFiles))
}

func lookup(
    _ query: String, in rooms: [SearchRoom] = [general], _ offsets: Range<UInt64> = 1..<1_000_000,
    facts: [[String]] = [], limit: Int = 100
) -> SearchLookup {
    SearchLookup(
        pattern: SearchPattern(query), facts: facts,
        ranges: rooms.map { SearchLookup.Range(room: $0, offsets: offsets) }, limit: limit)
}

/// A queue that a test drives.
final class HandQueue: SerialQueue {
    private let bodies = Mutex<(now: [@Sendable () -> Void], later: [@Sendable () -> Void])>(([], []))

    func async(_ body: @escaping @Sendable () -> Void) { bodies.withLock { $0.now.append(body) } }
    func after(milliseconds: Int, _ body: @escaping @Sendable () -> Void) { bodies.withLock { $0.later.append(body) } }
    func enter(_ body: () -> Void) { body() }
    func check() {}

    /// Runs what is dispatched, and what that dispatches.
    func run() {
        while let body = bodies.withLock({ $0.now.isEmpty ? nil : $0.now.removeFirst() }) { body() }
    }

    /// Lets all timers end.
    func wait() {
        run()
        for body in bodies.withLock({ bodies in
            defer { bodies.later = [] }
            return bodies.later
        }) { body() }
        run()
    }
}

/// A chat, as the index reads it.
final class Library: SearchSource {
    private let messages = Mutex<[SearchRoom: [UInt64: SearchEntry]]>([:])
    let fills = Mutex(0)
    let progress = Mutex(SearchProgress(frame: 0, at: 0))
    /// The number of messages read at once.
    let step: Int

    init(step: Int = 3) { self.step = step }

    func apply(_ changes: [SearchChange]) {
        messages.withLock { messages in
            for change in changes {
                switch change {
                case .put(let room, let offset, let entry): messages[room, default: [:]][offset] = entry
                case .remove(let room, let offset): messages[room]?[offset] = nil
                case .removeRoom(let room): messages[room] = nil
                case .readRoom: break
                }
            }
        }
    }

    func offsets(of room: SearchRoom) -> [UInt64] { messages.withLock { ($0[room] ?? [:]).keys.sorted() } }

    func readSearchRooms(_ done: @escaping @Sendable ([SearchRoom], SearchProgress) -> Void) {
        done(messages.withLock { $0.keys.sorted { $0.id < $1.id } }, progress.withLock(\.self))
    }

    func readSearchFill(of room: SearchRoom, from offset: UInt64, _ done: @escaping @Sendable (SearchFill) -> Void) {
        fills.withLock { $0 += 1 }
        let all = messages.withLock { $0[room] ?? [:] }.filter { $0.key >= offset }.sorted { $0.key < $1.key }
        let entries = all.prefix(step).map { (offset: $0.key, entry: $0.value) }
        done(SearchFill(entries: entries, next: all.count > step ? all[step].key : nil))
    }
}

/// An index on a queue that the test drives, with the chat it follows.
final class Scene {
    let queue = HandQueue()
    let library: Library
    let index: SearchIndexer
    private let notices = Notices()
    private var frame: UInt64 = 0

    init(_ path: String? = nil, limits: SearchIndexer.Limits = SearchIndexer.Limits(), library: Library = Library()) {
        self.library = library
        index = SearchIndexer(
            path, limits: limits, queue: queue, metrics: NOOPMetricsHandler.instance
        ) { [notices] in notices.add($0) }
        frame = library.progress.withLock(\.frame)
    }

    var rebuilds: Int { notices.rebuilds }
    var failures: Int { notices.failures }

    /// Starts as the engine does with an empty log.
    func start() {
        let known = index.begin()
        index.start(readingFrom: library, isBehind: known != library.progress.withLock(\.self))
        queue.run()
    }

    func append(_ changes: SearchChange...) { append(changes) }

    func append(_ changes: [SearchChange]) {
        frame += 1
        let progress = SearchProgress(frame: frame, at: Int64(frame) * 10)
        library.apply(changes)
        library.progress.withLock { $0 = progress }
        index.append(changes, through: progress)
    }

    func find(_ lookup: SearchLookup) -> SearchFindings {
        let found = Mutex<SearchFindings?>(nil)
        index.find(lookup) { findings in found.withLock { $0 = findings } }
        queue.run()
        return found.withLock(\.self) ?? .unknown(lookup)
    }

    func offsets(_ query: String, in room: SearchRoom = general) -> [UInt64] {
        find(lookup(query, in: [room])).parts.flatMap(\.offsets)
    }

    func close() {
        index.close {}
        queue.run()
    }

    private final class Notices: Sendable {
        private let notices = Mutex((rebuilds: 0, failures: 0))
        var rebuilds: Int { notices.withLock(\.rebuilds) }
        var failures: Int { notices.withLock(\.failures) }

        func add(_ notice: SearchNotice) {
            notices.withLock { notices in
                switch notice {
                case .rebuilding: notices.rebuilds += 1
                case .failed: notices.failures += 1
                }
            }
        }
    }
}

/// A folder that is deleted at the end of the body.
func withFolder(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/belfry-search-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer { for name in ["/words.sqlite", "/words.sqlite-wal", "/words.sqlite-shm", ""] { remove(folder + name) } }
    try body(folder + "/words.sqlite")
}
