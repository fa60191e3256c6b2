import API
import ChatDomain
import ChatModel
import TestSupport
import Testing

/// What the store of answers keeps of a deleted user: nothing (`PR1`).
@Suite struct IdempotencyErasingTests {
    private let request = RequestFingerprint(method: "user.upsert", body: [1])
    private let zoe = UserID(stringLiteral: "zoe \"z\"\u{1F98A}")
    private var store = IdempotencyStore(IdempotencyStore.Limits(), share: IdempotencyStore.Limits().ofKey)

    private func name(_ key: String, of owner: IdempotencyStore.Owner = .key("backend")) -> IdempotencyStore.Name {
        IdempotencyStore.Name(owner: owner, key: key)
    }

    private static func result(_ text: String) -> StoredResponse { .result(Array(text.utf8)) }

    private mutating func ask(
        _ name: IdempotencyStore.Name, _ answer: StoredResponse, subject: UserID? = nil
    ) {
        let verdict = store.begin(name, request, subject: subject?.erasureKey, at: 0)
        #expect(verdict == .fresh)
        store.finish(name, with: answer, at: 0)
    }

    private mutating func repeated(
        _ key: String, of owner: IdempotencyStore.Owner = .key("backend")
    ) -> IdempotencyStore.Verdict { store.begin(name(key, of: owner), request, at: 0) }

    private mutating func expect(
        _ key: String, of owner: IdempotencyStore.Owner = .key("backend"), is expected: IdempotencyStore.Verdict,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let verdict = repeated(key, of: owner)
        #expect(verdict == expected, sourceLocation: sourceLocation)
    }

    /// Erases in turns of a few answers.
    private mutating func erase(_ erasures: IdempotencyStore.Erasure..., limit: Int = 2) {
        store.forgetOwners(erasures)
        let names = ErasedNames(erasures)
        var place: UInt64 = 0
        while let found = store.candidates(after: &place, limit: limit) { store.drop(found.filter(names.concern)) }
    }

    /// Everything that the store has in memory, as text.
    private var dumped: String {
        var text = ""
        dump(store, to: &text)
        return text
    }

    @Test mutating func `PR1: answers that name a deleted user are dropped, and no others`() {
        let named = #"{"users":[{"id":"zoe \"z\"🦊"}]}"#
        ask(name("a"), Self.result(named))
        ask(name("b"), Self.result(#"{"text":"zoe \"z\"🦊 was here","id":"zoe"}"#))
        ask(name("c"), .rejected(Rejection(.notAMember, "user zoe \"z\"🦊")))
        ask(name("d"), .rejected(Rejection(.notAMember, "user zoe")))
        ask(name("e"), Self.result(#"{"zoe \"z\"🦊":1}"#))
        erase(IdempotencyStore.Erasure(of: zoe, began: store.newest))
        for (key, isDropped) in [("a", true), ("b", false), ("c", true), ("d", false), ("e", true)] {
            let verdict = repeated(key)
            #expect((verdict == .responseDropped) == isDropped && verdict != .fresh, "\(key): \(verdict)")
        }
        #expect(store.count == 5 && !dumped.contains("zoe \"z\"🦊"))
    }

    @Test mutating func `PR1: an answer to a command for a deleted user is dropped, even if it does not name them`() {
        ask(name("a"), Self.result("{}"), subject: zoe)
        ask(name("b"), Self.result("{}"), subject: ann)
        erase(IdempotencyStore.Erasure(of: zoe, began: store.newest))
        expect("a", is: .responseDropped)
        expect("b", is: .replay(Self.result("{}")))
    }

    @Test mutating func `PR1: a deleted user's own requests leave nothing, not even a key`() {
        for number in 0..<200 { ask(name("of zoe \(number)", of: .user(zoe)), Self.result("hello")) }
        ask(name("a", of: .user(ann)), Self.result("hello"))
        #expect(dumped.contains("🦊") && !dumped.contains("of zoe"), "the test finds what is there; keys are digests")
        erase(IdempotencyStore.Erasure(of: zoe, began: store.newest))
        #expect(store.count == 1 && store.byteCount == 5 && !dumped.contains("🦊"))
        expect("a", of: .user(ann), is: .replay(Self.result("hello")))
        expect("of zoe 1", of: .user(zoe), is: .fresh)
    }

    @Test mutating func `PR1: an answer that is late for the deletion is not kept`() {
        for owner in [.key("backend"), .user(ann)] as [IdempotencyStore.Owner] {
            expect("late", of: owner, is: .fresh)
        }
        let began = store.newest
        erase(IdempotencyStore.Erasure(of: zoe, began: began))
        store.finish(name("late", of: .user(ann)), with: Self.result(#"{"id":"zoe \"z\"🦊"}"#), at: 0)
        let ended = store.newest
        expect("later", is: .fresh)
        erase(IdempotencyStore.Erasure(of: zoe, began: began, ended: ended))
        store.finish(name("late"), with: Self.result(#"{"id":"zoe \"z\"🦊"}"#), at: 0)
        store.finish(name("later"), with: Self.result("{}"), at: 0)
        expect("late", of: .user(ann), is: .responseDropped)
        expect("late", is: .responseDropped)
        expect("later", is: .replay(Self.result("{}")))
        #expect(store.byteCount == 2)
    }

    @Test mutating func `PR1: a refusal that is late for the deletion leaves no owner`() {
        let began = store.newest
        expect("late", of: .user(zoe), is: .fresh)
        erase(IdempotencyStore.Erasure(of: zoe, began: began, ended: store.newest))
        store.finish(name("late", of: .user(zoe)), with: .rejected(Rejection(.userDeactivated)), at: 0)
        #expect(store.count == 0 && !dumped.contains("🦊"))
    }

    @Test mutating func `PR1: a new user of the id keeps the answers to what they have done`() {
        ask(name("old", of: .user(zoe)), Self.result("{}"))
        let began = store.newest
        ask(name("refused", of: .user(zoe)), .rejected(Rejection(.userDeactivated)))
        ask(name("new", of: .user(zoe)), Self.result("hello"))
        let ended = store.newest
        ask(name("upsert"), Self.result(#"{"id":"zoe \"z\"🦊"}"#), subject: zoe)
        ask(name("newer", of: .user(zoe)), .rejected(Rejection(.notAMember)))
        for _ in 0..<2 { erase(IdempotencyStore.Erasure(of: zoe, began: began, ended: ended)) }
        expect("new", of: .user(zoe), is: .replay(Self.result("hello")))
        expect("upsert", is: .replay(Self.result(#"{"id":"zoe \"z\"🦊"}"#)))
        expect("newer", of: .user(zoe), is: .replay(.rejected(Rejection(.notAMember))))
        expect("old", of: .user(zoe), is: .fresh)
        expect("refused", of: .user(zoe), is: .fresh)
        // The new user's answers still count against the owner's share.
        #expect(store.byteCount == 5 + 22)
    }

    @Test(arguments: [1, 7, 1_000]) mutating func `PR1: every answer is searched, however few are looked at a turn`(
        limit: Int
    ) {
        for number in 0..<100 { ask(name("\(number)"), Self.result(number % 3 == 0 ? #"["zoe"]"# : "[]")) }
        for number in 100..<150 { ask(name("\(number)", of: .user("bob")), Self.result(#"{"id":"zoe"}"#)) }
        erase(
            IdempotencyStore.Erasure(of: "zoe", began: store.newest),
            IdempotencyStore.Erasure(of: "bob", began: store.newest), limit: limit)
        #expect(store.count == 100 && store.byteCount == 66 * 2)
    }

    @Test(arguments: ["\"", "\"\\", "\"zoe", "\"zoe\\\"", "\\\"zoe\"", "{\"a\":\"\\u0022zoe\""])
    mutating func `an answer that is not JSON is searched without reading beyond its end`(text: String) {
        ask(name("a"), Self.result(text))
        erase(IdempotencyStore.Erasure(of: "zoe", began: store.newest))
        let verdict = repeated("a")
        #expect(verdict != .fresh)
    }
}
