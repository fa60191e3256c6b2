import API
import ChatModel
import TestSupport
import Testing

@Suite struct IdempotencyStoreTests {
    private let request = RequestFingerprint(method: "message.send", body: [1])

    private func memory(
        _ answersOfOwner: Int = .max, _ change: (inout IdempotencyStore.Limits) -> Void = { _ in }
    ) -> IdempotencyStore {
        var limits = IdempotencyStore.Limits()
        change(&limits)
        var share = limits.ofKey
        share.answers = answersOfOwner
        return IdempotencyStore(limits, share: share)
    }

    private func name(_ key: String, of owner: IdempotencyStore.Owner = .key("backend")) -> IdempotencyStore.Name {
        IdempotencyStore.Name(owner: owner, key: key)
    }

    private func answer(_ text: String) -> StoredResponse { .result(Array(text.utf8)) }

    /// Begins and finishes a request.
    private func ask(
        _ memory: inout IdempotencyStore, _ name: IdempotencyStore.Name, _ text: String = "done", at now: Int64 = 0
    ) {
        #expect(memory.begin(name, request, at: now) == .fresh)
        memory.finish(name, with: answer(text), at: now)
    }

    @Test func `a repeated request gets the first response; a different one with the same key gets an error`() {
        var memory = memory()
        #expect(memory.begin(name("a"), request, at: 0) == .fresh)
        #expect(memory.begin(name("a"), request, at: 0) == .inProgress)
        let others = [
            RequestFingerprint(method: "message.send", body: [2]), RequestFingerprint(method: "message.send", body: []),
            RequestFingerprint(method: "message.sen", body: Array("d".utf8) + [1]),
        ]
        for other in others { #expect(memory.begin(name("a"), other, at: 0) == .keyReused) }
        memory.finish(name("a"), with: answer("first"), at: 1)
        memory.finish(name("a"), with: answer("second"), at: 2)
        #expect(memory.begin(name("a"), request, at: 3) == .replay(answer("first")))
        for other in others { #expect(memory.begin(name("a"), other, at: 3) == .keyReused) }
        #expect(memory.count == 1)
    }

    @Test func `each caller has a separate key namespace`() {
        var memory = memory()
        ask(&memory, name("a", of: .user(ann)))
        for owner in [.key("ann"), .user("bob"), .key("backend")] as [IdempotencyStore.Owner] {
            #expect(memory.begin(name("a", of: owner), request, at: 0) == .fresh)
        }
    }

    @Test(arguments: ErrorCode.allCases)
    func `an error is stored unless the client should retry the request`(code: ErrorCode) {
        var memory = memory()
        let refusal = StoredResponse.rejected(Rejection(code, "why"))
        #expect(memory.begin(name("a"), request, at: 0) == .fresh)
        memory.finish(name("a"), with: refusal, at: 0)
        #expect(memory.begin(name("a"), request, at: 0) == (code.isTemporary ? .fresh : .replay(refusal)))
    }

    @Test func `a request that never started leaves nothing behind`() {
        var memory = memory()
        #expect(memory.begin(name("a"), request, at: 0) == .fresh)
        memory.finish(name("a"), with: nil, at: 0)
        memory.finish(name("a"), with: answer("late"), at: 0)
        #expect(memory.begin(name("a"), RequestFingerprint(method: "x", body: []), at: 0) == .fresh)
        #expect(memory.count == 0)
    }

    @Test func `a response is kept for its retention time`() {
        var memory = memory { $0.milliseconds = 100 }
        ask(&memory, name("a"), at: 1_000)
        ask(&memory, name("b"), at: 1_050)
        #expect(memory.begin(name("a"), request, at: 1_099) == .replay(answer("done")))
        #expect(memory.begin(name("a"), request, at: 1_100) == .fresh)
        #expect(memory.begin(name("b"), request, at: 1_100) == .replay(answer("done")))
        #expect(memory.begin(name("b"), request, at: 0) == .replay(answer("done")), "a clock that went back")
        #expect(memory.begin(name("b"), request, at: 1_150) == .fresh)
        #expect(memory.count == 0)
    }

    @Test func `beyond the limit, the oldest response is evicted`() {
        var memory = memory { $0.answers = 3 }
        for key in ["a", "b", "c", "d"] { ask(&memory, name(key)) }
        #expect(memory.count == 3)
        #expect(memory.begin(name("d"), request, at: 0) == .replay(answer("done")))
        #expect(memory.begin(name("b"), request, at: 0) == .replay(answer("done")))
        #expect(memory.begin(name("a"), request, at: 0) == .fresh)
    }

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test func `a request whose response was evicted by newer ones is still not executed again`() {
        var memory = memory { $0.bytes = 4_000 }
        for key in ["a", "b"] { ask(&memory, name(key), Self.text(1_500)) }
        ask(&memory, name("c"), Self.text(2_000))
        #expect(memory.count == 3 && memory.byteCount == 3_500)
        #expect(memory.begin(name("a"), request, at: 0) == .responseDropped)
        #expect(memory.begin(name("a"), RequestFingerprint(method: "x", body: []), at: 0) == .keyReused)
        #expect(memory.begin(name("b"), request, at: 0) == .replay(answer(Self.text(1_500))))
        #expect(memory.begin(name("c"), request, at: 0) == .replay(answer(Self.text(2_000))))
    }

    @Test func `an oversized response is not stored, evicts nothing and is not computed again`() {
        var limits = IdempotencyStore.Limits()
        limits.bytes = 1_000_000
        var memory = IdempotencyStore(limits, share: limits.ofUser)
        let bob = IdempotencyStore.Owner.user("bob")
        ask(&memory, name("small", of: bob), "done")
        let largest = limits.maxAnswerBytesForUsers
        for (key, size) in [("whole", largest), ("large", largest + 1), ("huge", 14_700_000)] {
            ask(&memory, name(key, of: .user(ann)), Self.text(size))
        }
        let verdicts = ["whole", "large", "huge"].map { memory.begin(name($0, of: .user(ann)), request, at: 0) }
        #expect(verdicts == [.replay(answer(Self.text(largest))), .responseDropped, .responseDropped])
        #expect(memory.begin(name("small", of: bob), request, at: 0) == .replay(answer("done")))
        #expect(memory.count == 4 && memory.byteCount == limits.maxAnswerBytesForUsers + 4)
    }

    @Test func `an owner's stored responses never exceed the owner's share`() {
        var limits = IdempotencyStore.Limits()
        limits.bytesPerUser = 10_000
        limits.maxAnswerBytesForUsers = 3_000
        var memory = IdempotencyStore(limits, share: limits.ofUser)
        ask(&memory, name("a", of: .user("bob")), Self.text(3_000))
        for number in 0..<50 { ask(&memory, name("\(number)", of: .user(ann)), Self.text(3_000)) }
        #expect(memory.byteCount == 12_000 && memory.count == 51)
        for (key, isKept) in [("0", false), ("46", false), ("47", true), ("49", true)] {
            let verdict = memory.begin(name(key, of: .user(ann)), request, at: 0)
            #expect(verdict == (isKept ? .replay(answer(Self.text(3_000))) : .responseDropped), "\(key)")
        }
        #expect(memory.begin(name("a", of: .user("bob")), request, at: 0) == .replay(answer(Self.text(3_000))))
    }

    @Test func `errors take no space and are kept as long as their request is remembered`() {
        var memory = memory { $0.bytes = 10 }
        let refusal = StoredResponse.rejected(Rejection(.notAMember, "user ann"))
        #expect(memory.begin(name("a"), request, at: 0) == .fresh)
        memory.finish(name("a"), with: refusal, at: 0)
        ask(&memory, name("b"), "more than there is room for")
        #expect(memory.begin(name("a"), request, at: 0) == .replay(refusal) && memory.byteCount == 0)
    }

    @Test
    func `when space for keys runs short, the caller with the most loses its oldest, and no smaller caller loses any`()
    {
        var limits = IdempotencyStore.Limits()
        limits.answers = 100
        var memory = IdempotencyStore(limits, share: limits.ofUser)
        for number in 0..<10 { ask(&memory, name("\(number)", of: .user("bob"))) }
        for round in 0..<60 {
            for other in ["mal", "meg"] { ask(&memory, name("\(round)", of: .user(UserID(stringLiteral: other)))) }
        }
        #expect(memory.count == 100)
        for number in 0..<10 {
            #expect(memory.begin(name("\(number)", of: .user("bob")), request, at: 0) == .replay(answer("done")))
        }
        for other in ["mal", "meg"] as [UserID] {
            #expect(memory.begin(name("59", of: .user(other)), request, at: 0) == .replay(answer("done")))
            #expect(memory.begin(name("14", of: .user(other)), request, at: 0) == .fresh)
        }
    }

    @Test(arguments: [7, 77] as [UInt64])
    func `under random load the bounds hold, and no owner within its equal share loses a key`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var limits = IdempotencyStore.Limits()
        limits.answers = 60
        limits.answersPerUser = 40
        limits.bytes = 5_000
        limits.bytesPerUser = 2_000
        limits.maxAnswerBytesForUsers = 1_000
        var memory = IdempotencyStore(limits, share: limits.ofUser)
        for number in 0..<12 { ask(&memory, name("\(number)", of: .user("bob")), "done") }
        for step in 0..<20_000 {
            let owner = IdempotencyStore.Owner.user(["mal", "meg", "mia"].randomElement(using: &random) ?? "mal")
            let key = name("\(Int.random(in: 0..<500, using: &random))", of: owner)
            if memory.begin(key, request, at: 0) == .fresh {
                let size = Int.random(in: 0...1_500, using: &random)
                let isCancelled = Int.random(in: 0..<10, using: &random) == 0
                memory.finish(key, with: isCancelled ? nil : answer(Self.text(size)), at: 0)
            }
            #expect(memory.count <= 60 && memory.byteCount <= 5_000, "seed \(seed), step \(step)")
        }
        for number in 0..<12 {
            #expect(memory.begin(name("\(number)", of: .user("bob")), request, at: 0) != .fresh, "seed \(seed)")
        }
    }

    @Test func `one user's pending requests leave room for others`() {
        let limits = IdempotencyStore.Limits()
        var memory = IdempotencyStore(limits, share: limits.ofUser)
        for number in 0..<100 {
            #expect(memory.begin(name("\(number)", of: .user(ann)), request, at: 0) == .fresh)
        }
        #expect(memory.begin(name("more", of: .user(ann)), request, at: 0) == .full)
        #expect(memory.begin(name("a", of: .user("bob")), request, at: 0) == .fresh)
        memory.finish(name("0", of: .user(ann)), with: nil, at: 0)
        #expect(memory.begin(name("more", of: .user(ann)), request, at: 0) == .fresh)
    }

    @Test func `a user with many keys evicts nobody else's responses`() {
        var memory = memory(2) { $0.answers = 5 }
        ask(&memory, name("a", of: .user("bob")))
        for number in 0..<1_000 { ask(&memory, name("\(number)", of: .user(ann))) }
        #expect(memory.count == 3)
        #expect(memory.begin(name("a", of: .user("bob")), request, at: 0) == .replay(answer("done")))
        for key in ["999", "998"] {
            #expect(memory.begin(name(key, of: .user(ann)), request, at: 0) == .replay(answer("done")))
        }
        #expect(memory.begin(name("997", of: .user(ann)), request, at: 0) == .fresh)
    }

    @Test func `the number of pending requests is bounded`() {
        var memory = memory { $0.answers = 2 }
        #expect(memory.begin(name("a"), request, at: 0) == .fresh && memory.begin(name("b"), request, at: 0) == .fresh)
        #expect(memory.begin(name("c"), request, at: 0) == .full)
        #expect(memory.begin(name("a"), request, at: 0) == .inProgress)
        memory.finish(name("a"), with: answer("done"), at: 0)
        #expect(memory.begin(name("c"), request, at: 0) == .fresh)
    }
}
