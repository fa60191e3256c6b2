import Testing

@testable import BelfryLoad

struct LedgerTests {
    private func ledger(hearing sequences: [Int], of messages: Int = 130) -> Ledger {
        let ledger = Ledger(messages: messages)
        for sequence in sequences { _ = ledger.record(message: sequence) }
        return ledger
    }

    @Test func `receiving everything once passes without problems`() {
        let ledger = ledger(hearing: Array(0..<130))
        for offset in 7...200 as ClosedRange<UInt64> { ledger.record(offset: offset) }
        #expect(ledger.findings(sent: 130, excusing: []).isClean)
    }

    @Test func `missing messages are counted, except those never stored`() {
        let ledger = ledger(hearing: (0..<130).filter { $0 != 63 && $0 != 64 && $0 != 129 })
        let findings = ledger.findings(sent: 130, excusing: [63])
        #expect(findings.missing == 2)
        #expect(findings.firstMissing == 64)
        #expect(ledger.findings(sent: 129, excusing: [63, 64]).isClean)
    }

    @Test func `a message received twice counts as one duplicate`() {
        let ledger = Ledger(messages: 10)
        #expect(ledger.record(message: 3))
        #expect(!ledger.record(message: 3))
        #expect(!ledger.record(message: 10))
        #expect(!ledger.record(message: -1))
        #expect(ledger.findings(sent: 0, excusing: []).doubled == 1)
    }

    @Test(
        arguments: [
            ([5, 6, 7], 0, nil),
            ([5, 0, 6], 0, nil),
            ([5, 7, 8], 1, .init(expected: 6, received: 7)),
            ([5, 5, 6], 1, .init(expected: 6, received: 5)),
            ([5, 7, 6, 8], 2, .init(expected: 6, received: 7)),
        ] as [([UInt64], Int, OffsetOrder.Step?)])
    func `every offset follows the previous one`(offsets: [UInt64], steps: Int, first: OffsetOrder.Step?) {
        let ledger = Ledger(messages: 1)
        for offset in offsets { ledger.record(offset: offset) }
        let findings = ledger.findings(sent: 0, excusing: [])
        #expect(findings.outOfOrder == steps)
        #expect(findings.firstOutOfOrder == first)
    }
}
