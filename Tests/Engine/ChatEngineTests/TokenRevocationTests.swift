import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import Testing

@Suite struct TokenRevocationTests {
    private func identity(_ user: UserID, _ issuedAt: Int64?) -> Identity {
        Identity(user: user, validFor: nil, issuedAt: issuedAt)
    }

    private func revoke(_ bench: Bench, _ command: UInt32, before second: Int64) {
        bench.engine.change(
            RevokeTokens(userID: bob, before: second), as: .server, answerTo: bench.address(command))
        bench.settle()
    }

    /// A check before the revocation finds nothing.
    @Test func `a check sees a revocation as soon as it is decided, before any loop does`() {
        let bench = ChatEngineTests().begin()
        let tokens = bench.engine.revokedTokens
        #expect(!tokens.refuses(identity(bob, 0)))
        revoke(bench, 5, before: 100)
        #expect(bench.ear.news().isEmpty)
        #expect(tokens.refuses(identity(bob, 99)) && tokens.refuses(identity(bob, 0)))
        #expect(!tokens.refuses(identity(bob, 100)) && !tokens.refuses(identity(bob, nil)))
        #expect(!tokens.refuses(identity(ann, 0)))
        bench.log.sync()
        #expect(bench.ear.news() == ["revoked bob 100", "answer 5"])
    }

    @Test func `a token that is revoked after its check is not admitted`() {
        let bench = ChatEngineTests().begin()
        revoke(bench, 5, before: 100)
        bench.attach(bob, 6, issuedAt: 99)
        bench.attach(bob, 7, issuedAt: 100)
        bench.attach(bob, 8)
        bench.log.sync()
        #expect(
            bench.ear.news() == [
                "revoked bob 100", "answer 5", "answer 6 101", "attached 7 bob #bob@1 general@2",
                "attached 8 bob #bob@1 general@2",
            ])
    }

    @Test func `an engine started from the log or its state refuses the same tokens`() {
        let first = ChatEngineTests().begin()
        revoke(first, 5, before: 100)
        for base in [0, first.log.frames.count] {
            let second = Bench(log: HandDrivenLog(frames: first.log.frames, base: base))
            #expect(second.engine.revokedTokens.refuses(identity(bob, 99)))
            #expect(!second.engine.revokedTokens.refuses(identity(bob, 100)))
            second.attach(bob, 6, issuedAt: 99)
            second.log.sync()
            #expect(second.ear.news() == ["answer 6 101"])
        }
    }
}
