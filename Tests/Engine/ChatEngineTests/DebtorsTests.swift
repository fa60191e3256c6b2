import ChatModel
import Gateway
import Testing

@testable import ChatEngine

@Suite struct DebtorsTests {
    @Test func `a refused user is listed until the wait is over`() {
        let debtors = Debtors()
        #expect(debtors.retryAfter(ann, now: 0) == nil)
        #expect(debtors.record(ann, retryAfter: 100, now: 50) == 1)
        #expect(debtors.retryAfter(ann, now: 60) == 90 && debtors.retryAfter(bob, now: 60) == nil)
        #expect(debtors.retryAfter(ann, now: 150) == nil && debtors.count == 0)
        debtors.record(ann, retryAfter: .max, now: .max)
        #expect(debtors.retryAfter(ann, now: 0) == .max)
    }

    @Test func `the number of listed users is limited, and those whose wait is over make room`() {
        let debtors = Debtors()
        for number in 0..<UInt64(Debtors.capacity) { debtors.record(.guest(number, 1), retryAfter: 10, now: 0) }
        debtors.record(ann, retryAfter: 10, now: 5)
        #expect(debtors.count == Debtors.capacity && debtors.retryAfter(ann, now: 5) == nil)
        debtors.record(ann, retryAfter: 10, now: 10)
        #expect(debtors.count == 1 && debtors.retryAfter(ann, now: 10) == 10)
    }

    @Test func `a user whose budget the engine finds exhausted is also refused before reaching the engine`() {
        let bench = Bench()
        bench.change(CreateChannel(), as: ann)
        bench.engine.charge([(Sender(user: ann), 300_000)])
        #expect(bench.engine.retryAfter(for: ann) == nil)
        bench.query(ListChannels(), as: ann, 2)
        #expect(bench.engine.retryAfter(for: ann) ?? 0 > 0 && bench.engine.retryAfter(for: bob) == nil)
    }
}
