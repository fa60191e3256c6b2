import API
import Testing
import WireProtocol

@Suite struct AnswerMemoryTests {
    private let request = RequestFingerprint(method: "message.send", body: [1])

    private func memory(
        _ answersOfCaller: Int = .max, _ change: (inout AnswerMemory.Limits) -> Void = { _ in }
    ) -> AnswerMemory {
        var limits = AnswerMemory.Limits()
        change(&limits)
        return AnswerMemory(limits, answersOfCaller: answersOfCaller)
    }

    private func name(_ key: String, of caller: AnswerMemory.Caller = .key("backend")) -> AnswerMemory.Name {
        AnswerMemory.Name(caller: caller, key: key)
    }

    private func answer(_ text: String) -> KeptAnswer { .result(Array(text.utf8)) }

    /// Begins and finishes.
    private func ask(
        _ memory: inout AnswerMemory, _ name: AnswerMemory.Name, _ text: String = "done", at now: Int64 = 0
    ) {
        #expect(memory.begin(name, request, at: now) == .fresh)
        memory.finish(name, with: answer(text), at: now)
    }

    @Test func `the same request gets the first answer again, another one of that name none`() {
        var memory = memory()
        #expect(memory.begin(name("a"), request, at: 0) == .fresh)
        #expect(memory.begin(name("a"), request, at: 0) == .underWay)
        let others = [
            RequestFingerprint(method: "message.send", body: [2]), RequestFingerprint(method: "message.send", body: []),
            RequestFingerprint(method: "message.sen", body: Array("d".utf8) + [1]),
        ]
        for other in others { #expect(memory.begin(name("a"), other, at: 0) == .anotherRequest) }
        memory.finish(name("a"), with: answer("first"), at: 1)
        memory.finish(name("a"), with: answer("second"), at: 2)
        #expect(memory.begin(name("a"), request, at: 3) == .again(answer("first")))
        for other in others { #expect(memory.begin(name("a"), other, at: 3) == .anotherRequest) }
        #expect(memory.count == 1)
    }

    @Test func `each caller has names of its own`() {
        var memory = memory()
        ask(&memory, name("a", of: .user(ann)))
        for caller in [.key("ann"), .user("bob"), .key("backend")] as [AnswerMemory.Caller] {
            #expect(memory.begin(name("a", of: caller), request, at: 0) == .fresh)
        }
    }

    @Test(arguments: ErrorCode.allCases)
    func `a refusal is kept unless the client is to try again`(code: ErrorCode) {
        var memory = memory()
        let refusal = KeptAnswer.rejected(Rejection(code, "why"))
        #expect(memory.begin(name("a"), request, at: 0) == .fresh)
        memory.finish(name("a"), with: refusal, at: 0)
        #expect(memory.begin(name("a"), request, at: 0) == (code.isTemporary ? .fresh : .again(refusal)))
    }

    @Test func `what was not started leaves nothing behind`() {
        var memory = memory()
        #expect(memory.begin(name("a"), request, at: 0) == .fresh)
        memory.finish(name("a"), with: nil, at: 0)
        memory.finish(name("a"), with: answer("late"), at: 0)
        #expect(memory.begin(name("a"), RequestFingerprint(method: "x", body: []), at: 0) == .fresh)
        #expect(memory.count == 0)
    }

    @Test func `an answer is kept for its time`() {
        var memory = memory { $0.milliseconds = 100 }
        ask(&memory, name("a"), at: 1_000)
        ask(&memory, name("b"), at: 1_050)
        #expect(memory.begin(name("a"), request, at: 1_099) == .again(answer("done")))
        #expect(memory.begin(name("a"), request, at: 1_100) == .fresh)
        #expect(memory.begin(name("b"), request, at: 1_100) == .again(answer("done")))
        #expect(memory.begin(name("b"), request, at: 0) == .again(answer("done")), "a clock that went back")
        #expect(memory.begin(name("b"), request, at: 1_150) == .fresh)
        #expect(memory.count == 0)
    }

    @Test func `the oldest answer gives way to one more than may be kept`() {
        var memory = memory { $0.answers = 3 }
        for key in ["a", "b", "c", "d"] { ask(&memory, name(key)) }
        #expect(memory.count == 3)
        #expect(memory.begin(name("d"), request, at: 0) == .again(answer("done")))
        #expect(memory.begin(name("b"), request, at: 0) == .again(answer("done")))
        #expect(memory.begin(name("a"), request, at: 0) == .fresh)
    }

    @Test func `older answers give way to a large one, and one that is too large is not kept`() {
        var memory = memory { $0.bytes = 4_000 }
        for key in ["a", "b"] { ask(&memory, name(key), String(repeating: "x", count: 1_000)) }
        ask(&memory, name("c"), String(repeating: "x", count: 2_000))
        #expect(memory.count == 1)
        #expect(memory.begin(name("c"), request, at: 0) != .fresh)
        ask(&memory, name("d"), String(repeating: "x", count: 5_000))
        #expect(memory.count == 0)
        ask(&memory, name("e"), String(repeating: "x", count: 3_000))
        #expect(memory.count == 1, "what was forgotten has given its bytes back")
    }

    @Test func `a user who names many requests pushes nobody's answers out`() {
        var memory = memory(2) { $0.answers = 5 }
        ask(&memory, name("a", of: .user("bob")))
        for number in 0..<1_000 { ask(&memory, name("\(number)", of: .user(ann))) }
        #expect(memory.count == 3)
        #expect(memory.begin(name("a", of: .user("bob")), request, at: 0) == .again(answer("done")))
        for (key, verdict) in [("999", AnswerMemory.Verdict.again(answer("done"))), ("998", .again(answer("done")))] {
            #expect(memory.begin(name(key, of: .user(ann)), request, at: 0) == verdict)
        }
        #expect(memory.begin(name("997", of: .user(ann)), request, at: 0) == .fresh)
    }

    @Test func `no more than so many requests are under way`() {
        var memory = memory { $0.answers = 2 }
        #expect(memory.begin(name("a"), request, at: 0) == .fresh && memory.begin(name("b"), request, at: 0) == .fresh)
        #expect(memory.begin(name("c"), request, at: 0) == .full)
        #expect(memory.begin(name("a"), request, at: 0) == .underWay)
        memory.finish(name("a"), with: answer("done"), at: 0)
        #expect(memory.begin(name("c"), request, at: 0) == .fresh)
    }
}
