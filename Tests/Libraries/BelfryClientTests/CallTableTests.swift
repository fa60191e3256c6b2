import Testing

@testable import BelfryClient

struct CallTableTests {
    @Test func `commands time out in the order they were sent`() {
        var table = CallTable()
        for deadline in 1...3 as ClosedRange<Int64> {
            _ = table.add(.rpc(CallID(rawValue: UInt64(deadline))), bytes: 10, deadline: deadline)
        }
        #expect(table.nextDeadline == 1)
        #expect(table.remove(1) != nil)
        #expect(table.nextDeadline == 2)
        #expect(table.removeExpired(now: 2) == [.rpc(CallID(rawValue: 2))])
        #expect(table.removeExpired(now: 2).isEmpty)
        #expect(table.bytes == 10)
        #expect(table.removeAll() == [.rpc(CallID(rawValue: 3))])
        #expect(table.nextDeadline == nil)
        #expect(table.count == 0 && table.bytes == 0)
    }

    @Test func `responses in any order leave no pending call behind`() {
        var table = CallTable()
        var ids: [UInt32] = []
        for round in 0..<1_000 {
            for index in 0..<3 {
                ids.append(table.add(.rpc(CallID(rawValue: UInt64(index))), bytes: 1, deadline: Int64(round)))
            }
            #expect(table.remove(ids.remove(at: round % ids.count)) != nil)
            #expect(table.remove(ids.removeLast()) != nil)
        }
        #expect(table.count == ids.count)
        for id in ids { #expect(table.remove(id) != nil) }
        #expect(table.nextDeadline == nil)
    }

    @Test func `each command id is answered only once`() {
        var table = CallTable()
        let id = table.add(.refresh, bytes: 0, deadline: 1)
        #expect(table.remove(id) == .refresh)
        #expect(table.remove(id) == nil)
        #expect(table.remove(0) == nil)
    }
}
