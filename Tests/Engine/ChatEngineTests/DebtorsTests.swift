import ChatModel
import Gateway
import Testing

@testable import ChatEngine

@Suite struct DebtorsTests {
    @Test func `whoever was refused is listed until the wait is over`() {
        let debtors = Debtors()
        #expect(debtors.wait(ann, now: 0) == nil)
        #expect(debtors.note(ann, wait: 100, now: 50) == 1)
        #expect(debtors.wait(ann, now: 60) == 90 && debtors.wait(bob, now: 60) == nil)
        #expect(debtors.wait(ann, now: 150) == nil && debtors.count == 0)
        debtors.note(ann, wait: .max, now: .max)
        #expect(debtors.wait(ann, now: 0) == .max)
    }

    @Test func `so many are listed at most, and those whose wait is over make place`() {
        let debtors = Debtors()
        for number in 0..<UInt64(Debtors.bound) { debtors.note(.guest(number, 1), wait: 10, now: 0) }
        debtors.note(ann, wait: 10, now: 5)
        #expect(debtors.count == Debtors.bound && debtors.wait(ann, now: 5) == nil)
        debtors.note(ann, wait: 10, now: 10)
        #expect(debtors.count == 1 && debtors.wait(ann, now: 10) == 10)
    }

    @Test func `a user whose budget the engine finds used up waits at the door, too`() {
        let bench = Bench()
        bench.change(CreateChannel(), as: ann)
        bench.engine.charge([(Sender(user: ann), 300_000)])
        #expect(bench.engine.wait(of: ann) == nil)
        bench.query(ListChannels(), as: ann, 2)
        #expect(bench.engine.wait(of: ann) ?? 0 > 0 && bench.engine.wait(of: bob) == nil)
    }
}
