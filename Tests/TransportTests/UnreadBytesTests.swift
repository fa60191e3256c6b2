import ChatModel
import Testing

@testable import Transport

@Suite struct UnreadBytesTests {
    private let ann = UserID.guest(1, 1)
    private let bob = UserID.guest(2, 2)

    private func limits(ofUser: Int, inAll: Int) -> UnreadBytes.Limits {
        var limits = UnreadBytes.Limits()
        (limits.ofUser, limits.inAll) = (ofUser, inAll)
        return limits
    }

    @Test func `what waits for one user counts over all connections`() {
        let unread = UnreadBytes(limits(ofUser: 100, inAll: 1_000))
        var first = UnreadPart(of: unread)
        var answers: [Bool] = []
        answers.append(first.set(60, for: ann))
        do {
            var second = UnreadPart(of: unread)
            answers.append(second.set(41, for: ann))
            #expect(unread.inAll == 101)
            answers.append(second.set(40, for: ann))
            var other = UnreadPart(of: unread)
            answers.append(other.set(100, for: bob))
        }
        #expect(answers == [true, false, true, true])
        // The others are gone, and what waited for them.
        #expect(unread.inAll == 60)
        answers = [first.set(100, for: ann), first.set(0, for: ann)]
        #expect(answers == [true, true])
        #expect(unread.inAll == 0)
        #expect(unread.userCount == 0)
    }

    @Test func `beyond the limit of all, whoever has little waiting goes on`() {
        let much = UnreadBytes.alwaysAllowed + 1
        let unread = UnreadBytes(limits(ofUser: 10 * much, inAll: much))
        var first = UnreadPart(of: unread)
        var second = UnreadPart(of: unread)
        let answers = [
            first.set(much, for: ann), second.set(UnreadBytes.alwaysAllowed, for: bob), first.set(much + 1, for: ann),
            // Less is always taken.
            first.set(much, for: ann),
        ]
        #expect(answers == [true, true, false, true])
    }

    @Test func `what is free is told before anything is made for it`() {
        let unread = UnreadBytes(limits(ofUser: 4 * UnreadBytes.alwaysAllowed, inAll: 3 * UnreadBytes.alwaysAllowed))
        var first = UnreadPart(of: unread)
        #expect(unread.free(for: ann) == 4 * UnreadBytes.alwaysAllowed)
        _ = first.set(1_000, for: ann)
        #expect(unread.free(for: ann) == 4 * UnreadBytes.alwaysAllowed - 1_000)
        _ = first.set(3 * UnreadBytes.alwaysAllowed, for: ann)
        #expect(unread.free(for: ann) == 0)
        #expect(unread.free(for: bob) == UnreadBytes.alwaysAllowed, "however much the others have")
    }

    @Test func `a connection that changes hands takes nothing along`() {
        let unread = UnreadBytes(limits(ofUser: 100, inAll: 1_000))
        var part = UnreadPart(of: unread)
        var other = UnreadPart(of: unread)
        let answers = [part.set(90, for: ann), part.set(95, for: bob), other.set(100, for: ann)]
        #expect(answers == [true, true, true])
        #expect(unread.inAll == 195)
    }
}
