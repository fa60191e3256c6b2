import ChatDomain
import ChatModel
import Testing
import WireProtocol

@Suite struct TokenRevocationTests {
    private let second: Int64 = 1_780_000_000

    private func begin() throws -> Chat {
        var chat = Chat([ann, bob])
        chat.step = 0
        chat.now = second * 1_000 + 999
        return chat
    }

    @Test func `tokens issued before the current second are revoked, those issued in it are not`() throws {
        var chat = try begin()
        #expect(chat.state.tokensRevokedBefore(bob) == 0 && chat.state.tokenRevocations.isEmpty)
        let answer = try chat.run(RevokeTokens(userID: bob), as: .server)
        #expect(answer.user.id == bob && answer.before == second)
        #expect(chat.state.tokensRevokedBefore(bob) == second && chat.state.tokensRevokedBefore(ann) == 0)
        #expect(chat.state.tokenRevocations == [bob: second])
    }

    @Test func `only the user's connections receive the revocation event`() throws {
        var chat = try begin()
        try chat.run(RevokeTokens(userID: bob, before: 5), as: .server)
        guard chat.lastEffects.count == 1, case .tokensRevoked(bob, before: 5) = chat.lastEffects[0] else {
            Issue.record("\(chat.lastEffects)")
            return
        }
        #expect(chat.lastRecords.flatMap(\.positions).isEmpty)
    }

    @Test func `the cutoff never goes back, and a change without effect publishes no event`() throws {
        var chat = try begin()
        try chat.run(RevokeTokens(userID: bob, before: 100), as: .server)
        for earlier in [0, 99, 100] as [Int64] {
            #expect(try chat.run(RevokeTokens(userID: bob, before: earlier), as: .server).before == 100)
            #expect(chat.lastRecords.isEmpty)
        }
        #expect(try chat.run(RevokeTokens(userID: bob, before: 101), as: .server).before == 101)
        #expect(chat.lastRecords.count == 1)
    }

    @Test func `a cutoff in milliseconds, or more than a minute in the future, is refused`() throws {
        var chat = try begin()
        for second in [-1, second + 61, second * 1_000, .max] {
            #expect(chat.refusal(of: RevokeTokens(userID: bob, before: second), as: .server) == .invalidValue)
        }
        #expect(chat.refusal(of: RevokeTokens(userID: bob, before: second + 60), as: .server) == nil)
        #expect(chat.refusal(of: RevokeTokens(userID: "nobody"), as: .server) == .notFound)
    }

    @Test func `the cutoff survives in journal and snapshot, and applies to a reactivated user`() throws {
        var chat = try begin()
        try chat.run(RevokeTokens(userID: bob), as: .server)
        try chat.run(DeactivateUser(userID: bob), as: .server)
        try chat.run(ActivateUser(userID: bob), as: .server)
        let copy = ChatState()
        var parts: [StatePart] = []
        chat.state.parts { parts.append($0) }
        for part in parts { try copy.load(part) }
        for state in [chat.state, chat.replayed, copy] { #expect(state.tokenRevocations == [bob: second]) }
    }
}
