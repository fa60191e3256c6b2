import ChatModel
import EventLoops
import Testing

@testable import Transport

@Suite struct HeldBytesTests {
    private let ann = HeldBytes.Holder.user(.guest(1, 1))
    private let bob = HeldBytes.Holder.user(.guest(2, 2))

    private func limits(ofUser: Int, total: Int) -> HeldBytes.Limits {
        HeldBytes.Limits(ofUser: ofUser, total: total)
    }

    @Test func `pending bytes for one user are counted across all connections`() {
        let unread = HeldBytes(limits(ofUser: 100, total: 1_000))
        var first = HeldShare(of: unread)
        var answers: [HeldBytes.Verdict] = []
        answers.append(first.set(60, for: ann))
        do {
            var second = HeldShare(of: unread)
            answers.append(second.set(41, for: ann))
            #expect(unread.total == 101)
            answers.append(second.set(40, for: ann))
            var other = HeldShare(of: unread)
            answers.append(other.set(100, for: bob))
        }
        #expect(answers == [.fits, .overShare, .fits, .fits])
        // The other shares and their bytes are gone.
        #expect(unread.total == 60)
        answers = [first.set(100, for: ann), first.set(0, for: ann)]
        #expect(answers == [.fits, .fits])
        #expect(unread.total == 0)
        #expect(unread.holderCount == 0)
    }

    @Test func `beyond the total limit, users with few pending bytes continue`() {
        let much = HeldBytes.alwaysAllowed + 1
        let unread = HeldBytes(limits(ofUser: 10 * much, total: much))
        var first = HeldShare(of: unread)
        var second = HeldShare(of: unread)
        let answers = [
            first.set(much, for: ann), second.set(HeldBytes.alwaysAllowed, for: bob), first.set(much + 1, for: ann),
            // Fewer bytes are always accepted.
            first.set(much, for: ann),
        ]
        #expect(answers == [.fits, .fits, .overTotal, .fits])
    }

    /// Regression: free space was queried but not reserved, so two loops that recovered rooms concurrently allotted it
    /// twice.
    @Test func `reserved bytes are available to nobody else, and are used up before more is counted`() {
        let unread = HeldBytes(limits(ofUser: 4 * HeldBytes.alwaysAllowed, total: 3 * HeldBytes.alwaysAllowed))
        var first = HeldShare(of: unread)
        var second = HeldShare(of: unread)
        _ = first.set(1_000, for: ann)
        let granted = [
            first.reserve(2 * HeldBytes.alwaysAllowed, for: ann), second.reserve(.max, for: ann),
            second.reserve(1, for: ann),
        ]
        #expect(granted == [2 * HeldBytes.alwaysAllowed, 2 * HeldBytes.alwaysAllowed - 1_000, 0])
        #expect(unread.total == 4 * HeldBytes.alwaysAllowed)
        let ofOther = HeldShare(of: unread).reserving(.max, for: bob)
        #expect(ofOther == HeldBytes.alwaysAllowed, "however much the others have")
        let within = first.set(2 * HeldBytes.alwaysAllowed, for: ann)
        #expect(within == .fits && unread.total == 4 * HeldBytes.alwaysAllowed)
        first.release()
        second.release()
        #expect(unread.total == 2 * HeldBytes.alwaysAllowed)
        _ = consume second
        let last = first.set(0, for: ann)
        #expect(last == .fits && unread.total == 0 && unread.holderCount == 0)
    }

    @Test func `the backend is not limited, and addresses have shares like users`() throws {
        let held = HeldBytes(limits(ofUser: 100, total: 1_000))
        let block = HeldBytes.Holder.address(AddressBlock.Pair("2001:db8::1").own)
        let same = HeldBytes.Holder.address(AddressBlock.Pair("2001:db8::2").own)
        var first = HeldShare(of: held)
        var second = HeldShare(of: held)
        var backend = HeldShare(of: held)
        let verdicts = [first.set(60, for: block), second.set(41, for: same), backend.set(5_000_000, for: nil)]
        #expect(verdicts == [.fits, .overShare, .fits])
        #expect(held.total == 5_000_101)
    }

    @Test func `a connection that changes owners takes no pending bytes along`() {
        let unread = HeldBytes(limits(ofUser: 100, total: 1_000))
        var part = HeldShare(of: unread)
        var other = HeldShare(of: unread)
        let answers = [part.set(90, for: ann), part.set(95, for: bob), other.set(100, for: ann)]
        #expect(answers == [.fits, .fits, .fits])
        #expect(unread.total == 195)
    }
}

extension HeldShare {
    fileprivate consuming func reserving(_ wanted: Int, for holder: HeldBytes.Holder?) -> Int {
        reserve(wanted, for: holder)
    }
}
