import ChatModel
import Testing

@testable import ChatEngine

@Suite struct WorkBudgetsTests {
    private let ann: UserID = "ann"
    private let guest = UserID.guest(1, 2)
    private let other = UserID.guest(3, 4)

    @Test func `a payer with debt beyond the limit has to wait`() {
        var budgets = WorkBudgets(WorkLimits())
        #expect(budgets.retryAfter(.user(ann), now: 0) == nil)
        // A second of engine time: half is available immediately, the rest recovers at a tenth of a second per second.
        budgets.charge(.user(ann), work: 1_000_000_000, bytes: 0, now: 0)
        #expect(budgets.retryAfter(.user(ann), now: 0) == 5_001)
        #expect(budgets.retryAfter(.user(ann), now: 4_000) == 1_001)
        #expect(budgets.retryAfter(.user(ann), now: 5_001) == nil)
    }

    @Test func `bytes are charged in addition to work`() {
        var budgets = WorkBudgets(WorkLimits())
        budgets.charge(.user(ann), work: 0, bytes: 8_388_608 + 262_144, now: 0)
        #expect(budgets.retryAfter(.user(ann), now: 0) == 1_001)
        #expect(budgets.retryAfter(.user(ann), now: 1_001) == nil)
    }

    @Test func `a guest's work is also charged to the guest's address, and a user's only to the user`() {
        var budgets = WorkBudgets(WorkLimits())
        for number in 0..<10 {
            budgets.charge(
                .guest(UserID.guest(9, UInt64(number)), address: "192.0.2.1"), work: 60_000_000, bytes: 0, now: 0)
        }
        #expect(budgets.retryAfter(.guest(other, address: "192.0.2.1"), now: 0) == 1_001)
        #expect(budgets.retryAfter(.guest(other, address: "192.0.2.2"), now: 0) == nil)
        #expect(budgets.retryAfter(.user(ann), now: 0) == nil)
        budgets.charge(.guest(guest, address: nil), work: 150_000_000, bytes: 0, now: 0)
        #expect(budgets.retryAfter(.guest(guest, address: nil), now: 0) == 1_001)
    }

    @Test func `the server is charged nothing`() {
        var budgets = WorkBudgets(WorkLimits())
        budgets.charge(.server, work: .max / 4, bytes: .max / 4, now: 0)
        #expect(budgets.retryAfter(.server, now: 0) == nil)
        #expect(budgets.count == 0)
    }

    @Test func `repaid debts are discarded`() {
        var budgets = WorkBudgets(WorkLimits())
        for number in 0..<10_000 {
            budgets.charge(.user(UserID("u\(number)") ?? ann), work: 1_000, bytes: 0, now: Int64(number) * 10)
        }
        #expect(budgets.count <= 2_048)
        budgets.charge(.user(ann), work: 1_000, bytes: 10, now: 0)
        #expect(budgets.retryAfter(.user(ann), now: 3_600_000) == nil)
    }

    @Test func `setting the clock back neither forgives debt nor adds any`() {
        var budgets = WorkBudgets(WorkLimits())
        budgets.charge(.user(ann), work: 600_000_000, bytes: 0, now: 10_000)
        #expect(budgets.retryAfter(.user(ann), now: 0) == 1_001)
        #expect(budgets.retryAfter(.user(ann), now: 1_001) == nil)
    }
}
