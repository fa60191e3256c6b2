import Gateway
import Testing

@testable import Replication

/// Which node leaves when nodes announce different events.
@Suite struct DivergenceCheckTests {
    /// A node whose events have the given checksum in every frame.
    private final class Announced: AnnouncedFrames {
        let firstFrame: UInt64
        let lastFrame: UInt64
        private let value: UInt64

        init(_ value: UInt64 = 1, first: UInt64 = 0, last: UInt64 = 10) {
            (self.value, firstFrame, lastFrame) = (value, first, last)
        }

        func sum(after first: UInt64, through last: UInt64) -> UInt64? {
            firstFrame <= first && first <= last && last <= lastFrame ? (last - first) * value : nil
        }

        func span(after: UInt64 = 0, through: UInt64 = 10) -> AnnouncedSum {
            AnnouncedSum(after: after, through: through, sum: sum(after: after, through: through) ?? 0)
        }
    }

    private let right = Announced(1)
    private let wrong = Announced(2)
    private let cid = node("cid")

    /// What a node with its own events finds after hearing the others.
    private func check(_ own: Announced, _ heard: [NodeID: Announced]) -> DivergenceCheck {
        var check = DivergenceCheck()
        for (node, announced) in heard.sorted(by: { $0.key < $1.key }) {
            check.receive(announced.span(), from: node, comparing: own, at: 0)
        }
        return check
    }

    @Test func `nodes that announced the same stay`() {
        let check = check(right, [bob: right, cid: right])
        #expect(check.differing.isEmpty)
        #expect(!check.mustLeave(bob, among: [bob, cid], at: 10_000))
    }

    @Test func `of three nodes, the one that differs from the others leaves, also if it is the writer`() {
        #expect(check(wrong, [bob: right, cid: right]).mustLeave(ann, among: [bob, cid], at: 0))
        #expect(!check(right, [ann: wrong, cid: right]).mustLeave(ann, among: [ann, cid], at: 0))
        #expect(check(right, [ann: wrong, cid: right]).differing == [ann])
    }

    @Test func `of two nodes, the one that is not the writer leaves`() {
        #expect(check(wrong, [ann: right]).mustLeave(ann, among: [ann], at: 0))
        #expect(!check(right, [bob: wrong]).mustLeave(ann, among: [bob], at: 0))
        #expect(!check(right, [bob: wrong]).mustLeave(nil, among: [bob], at: 10_000))
    }

    @Test func `a node that could not compare with all others yet waits for them, but not for long`() {
        var check = check(right, [ann: wrong])
        check.receive(right.span(through: 9), from: cid, comparing: right, at: 0)
        // Whether it agrees about the tenth frame is not known.
        #expect(!check.mustLeave(ann, among: [ann, cid], at: DivergenceCheck.patience - 1))
        #expect(check.mustLeave(ann, among: [ann, cid], at: DivergenceCheck.patience))
        check.receive(right.span(), from: cid, comparing: right, at: 400)
        #expect(!check.mustLeave(ann, among: [ann, cid], at: DivergenceCheck.patience))
    }

    @Test func `a node waits for live nodes that it has compared nothing with yet`() {
        let check = check(right, [ann: wrong])
        #expect(check.mustLeave(ann, among: [ann], at: 0))
        #expect(!check.mustLeave(ann, among: [ann, cid], at: DivergenceCheck.patience - 1))
        #expect(check.mustLeave(ann, among: [ann, cid], at: DivergenceCheck.patience))
    }

    @Test func `a node leaves without waiting if the others differ in any case`() {
        var check = check(wrong, [ann: right, bob: right, cid: right])
        // Whether this one agrees about the tenth frame does not matter.
        check.receive(wrong.span(through: 9), from: node("dee"), comparing: wrong, at: 0)
        #expect(check.mustLeave(nil, among: [ann, bob, cid, node("dee")], at: 0))
    }

    @Test func `a sum is compared once this node has announced its frames`() {
        var check = DivergenceCheck()
        let behind = Announced(1, last: 9)
        check.receive(wrong.span(), from: ann, comparing: behind, at: 0)
        #expect(check.differing.isEmpty)
        // A later beat does not take its place, or a node that is always a little behind would never compare.
        check.receive(wrong.span(after: 10, through: 12), from: ann, comparing: behind, at: 0)
        check.compare(with: right, at: 1)
        #expect(check.differing == [ann])
    }

    @Test func `nodes once different stay different, whatever they announce later`() {
        var check = check(right, [ann: wrong])
        let later = Announced(1, last: 20)
        check.receive(later.span(after: 10, through: 20), from: ann, comparing: later, at: 0)
        #expect(check.differing == [ann])
        check.keep { $0 != ann }
        #expect(check.differing.isEmpty)
        #expect(!check.mustLeave(ann, among: [], at: 10_000))
    }

    @Test func `frames from before a node joined are not compared`() {
        var check = DivergenceCheck()
        let young = Announced(2, first: 5)
        check.receive(right.span(), from: ann, comparing: young, at: 0)
        #expect(check.differing.isEmpty)
        check.receive(right.span(after: 5), from: ann, comparing: young, at: 0)
        #expect(check.differing == [ann])
    }
}
