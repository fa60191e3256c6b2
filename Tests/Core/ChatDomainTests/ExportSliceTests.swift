import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

/// Exports in the engine's slices, with texts on disk.
@Suite struct ExportSliceTests {
    /// Runs a query as the engine does: in slices, and again when texts were missing.
    ///
    /// - Parameters:
    ///   - misses: Loads what an attempt has missed.
    ///   - between: Called before each turn but the first.
    /// - Returns: The page, and the number of attempts that missed something.
    private static func run(
        _ query: some ExportQuery, in state: ChatState, at now: Int64, slice: Int = WorkMeter.slice,
        between: () throws(Rejection) -> Void = {}, misses: ([BlockReference]) -> Void = { _ in }
    ) throws(Rejection) -> (page: ExportResponse, misses: Int) {
        let work = WorkMeter()
        let context = Context(
            caller: .server, now: now, freshID: MessageID(high: 0, low: 0), settings: .init(), work: work)
        var count = 0
        var step = { (state: ChatState, context: Context) throws(Rejection) in try query.begin(in: state, context) }
        while true {
            _ = work.drain()
            work.charge(WorkMeter.slice - slice)
            state.blocks.beginAttempt()
            let result = Result { () throws(Rejection) in try step(state, context) }
            let missing = state.blocks.endAttempt()
            guard missing.isEmpty else {
                count += 1
                misses(missing)
                continue
            }
            switch try result.get() {
            case .answered(let page): return (page, count)
            case .unfinished(let rest): step = rest
            case .lookup: throw Rejection(.internal)
            }
            try between()
        }
    }

    @Test(arguments: [1, 3, 40, 1_000])
    func `PR2: pages of texts on disk are the same, and a page reads its texts together`(limit: Int) throws {
        var chat = Chat()
        try chat.create(with: [bob])
        for number in 0..<1_200 { try chat.say("text \(number)", by: number % 64 == 0 ? ann : bob) }
        let shelf = BlockShelf()
        let state = try shelf.load(shelf.store(chat.state).parts)
        for scope in [ExportScope.user(ann), .channel(general)] {
            var (lines, next, missed): ([ExportLine], String?, Int) = ([], nil, 0)
            repeat {
                let query = Exports.query(scope, limit: limit, next: next)
                let (page, count) = try Self.run(
                    query, in: state, at: chat.now,
                    misses: { for block in $0 { state.blocks.add(block, shelf.read(block)) } })
                #expect(count <= 3, "limit \(limit)")
                missed += count
                lines += page.lines
                next = page.next
            } while next != nil
            #expect(lines == Exports.lines(chat.state, scope))
            #expect(missed > 0)
        }
        #expect(state.blocks.counts.reads == 0, "the queue of the state waits for no disk")
    }

    @Test func `PR2: a disk that does not answer ends a page after its first lines, but adds no line without its text`()
        throws
    {
        var chat = Chat()
        try chat.create(with: [bob])
        for number in 0..<200 { try chat.say("text \(number)") }
        let shelf = BlockShelf()
        let state = try shelf.load(shelf.store(chat.state).parts)
        let (page, misses) = try Self.run(ExportUser(userID: ann), in: state, at: chat.now)
        #expect(page.lines.map(\.type) == ["export", "user", "membership"] && page.next != nil)
        #expect((2...16).contains(misses))
    }

    @Test func `PR2: an export takes several slices, is the same as in one, and ends if its channel does`() throws {
        var chat = try Exports.chat(seed: 3)
        for scope in [ExportScope.user(ann), .channel("c1")] {
            var slices = 0
            let query = Exports.query(scope, limit: 1_000, next: nil)
            let page = try Self.run(query, in: chat.state, at: chat.now, slice: 100_000, between: { slices += 1 }).page
            #expect(page.lines == Exports.lines(chat.state, scope) && slices > 5)
        }
        var slices = 0
        let state = chat.state
        #expect(throws: Rejection(.notFound, "channel")) {
            try Self.run(ExportChannel(channelID: "c1"), in: state, at: chat.now, slice: 100_000) {
                () throws(Rejection) in
                slices += 1
                if slices == 3 { try chat.run(DeleteChannel(channelID: "c1"), as: .server) }
            }
        }
    }
}
