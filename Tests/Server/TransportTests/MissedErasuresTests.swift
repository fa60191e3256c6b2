import ChatModel
import Testing

@testable import Belfry

/// When a server that was away may serve again (`PR1`).
@Suite struct MissedErasuresTests {
    private var missed = MissedErasures()
    private let zoe = UserID.deleted(1)
    private let bob = UserID.deleted(2)

    /// - Returns: Whether a comparison begins.
    private mutating func check(isCurrent: Bool = true) -> Bool { missed.check(isCurrent: isCurrent) }

    private mutating func begins(isCurrent: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) {
        let begins = check(isCurrent: isCurrent)
        #expect(begins == isCurrent, sourceLocation: sourceLocation)
    }

    private mutating func beginsNothing(sourceLocation: SourceLocation = #_sourceLocation) {
        let begins = check()
        #expect(!begins, sourceLocation: sourceLocation)
    }

    @Test mutating func `PR1: a node is ready once it has caught up and its disk is clear`() {
        begins(isCurrent: false)
        missed.began(zoe)
        begins()
        #expect(missed.phase == .comparing)
        // One comparison at a time.
        beginsNothing()
        missed.began(bob)
        missed.compared(missed.comparison, isDone: true)
        #expect(missed.phase == .clearing)
        missed.cleared([zoe])
        beginsNothing()
        #expect(missed.phase == .clearing)
        missed.cleared([bob])
        beginsNothing()
        #expect(missed.phase == .ready)
    }

    @Test mutating func `PR1: without missed deletions, a node is ready as soon as it has caught up`() {
        begins()
        missed.compared(missed.comparison, isDone: true)
        #expect(missed.phase == .ready)
    }

    @Test mutating func `PR1: deletions that begin later delay nothing`() {
        missed.began(zoe)
        begins()
        missed.compared(missed.comparison, isDone: true)
        missed.began(bob)
        missed.cleared([zoe])
        #expect(missed.phase == .ready)
        missed.began(.deleted(3))
        #expect(missed.phase == .ready)
    }

    @Test mutating func `PR1: a node that falls behind must catch up and clear its disk again`() {
        begins()
        missed.compared(missed.comparison, isDone: true)
        begins(isCurrent: false)
        #expect(missed.phase == .away)
        missed.began(zoe)
        begins()
        missed.compared(missed.comparison, isDone: true)
        #expect(missed.phase == .clearing)
        missed.cleared([zoe])
        #expect(missed.phase == .ready)
    }

    @Test mutating func `PR1: a comparison that failed or was overtaken does not count`() {
        missed.began(zoe)
        begins()
        let first = missed.comparison
        missed.compared(first, isDone: false)
        #expect(missed.phase == .away)
        begins()
        begins(isCurrent: false)
        begins()
        missed.compared(first, isDone: true)
        missed.compared(first + 1, isDone: true)
        #expect(missed.phase == .comparing)
        missed.compared(missed.comparison, isDone: true)
        #expect(missed.phase == .clearing)
    }
}
