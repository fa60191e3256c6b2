import ChatDomain
import ChatModel
import Dispatch
import Testing

@testable import ChatEngine

/// `MO3`: rules are compiled off the engine's queue.
@Suite struct TextRuleCompilationTests {
    private let shelf = BodyShelf()

    private func begin(commandsWaiting: Int = 1_000) -> Bench {
        let first = ChatEngineTests().begin()
        let shelf = shelf
        return Bench(
            log: HandDrivenLog(frames: first.log.frames), commandsWaiting: commandsWaiting,
            loader: { shelf.load($0) })
    }

    private func refusing(_ ids: String...) -> SetTextRules {
        SetTextRules(rules: ids.map { TextRuleDefinition(id: $0, words: [$0], action: .refuse) })
    }

    /// - Returns: The answers since the last call, and how many sets of rules were compiled for them.
    private func finish(_ bench: Bench) -> (answers: [String], compiled: Int) {
        var count = 0
        bench.pause()
        while shelf.waitingCount > 0 {
            #expect(shelf.waitingCount == 1)
            count += 1
            shelf.answer()
            bench.pause()
        }
        bench.settle()
        bench.log.sync()
        return (bench.ear.news().filter { $0.hasPrefix("answer") }, count)
    }

    private func say(_ text: String, as user: UserID = ann, _ command: UInt32, _ bench: Bench) {
        bench.engine.change(
            SendMessage(channelID: general, text: text), as: .user(user), answerTo: bench.address(command))
    }

    @Test func `others are answered while rules are compiled, and then the rules hold at once`() {
        let bench = begin()
        bench.engine.change(refusing("bad"), as: .server, answerTo: bench.address(1))
        say("bad", 2, bench)
        bench.settle()
        bench.log.sync()
        #expect(bench.ear.news().filter { $0.hasPrefix("answer") } == ["answer 2"])
        #expect(finish(bench) == (["answer 1"], 1))
        say("bad", 3, bench)
        say("good", as: bob, 4, bench)
        #expect(finish(bench) == (["answer 3 1050", "answer 4"], 0))
    }

    @Test func `messages wait for the rules that a deletion has left, and keep their order`() {
        let bench = begin()
        bench.engine.change(refusing("bad", "worse"), as: .server, answerTo: bench.address(1))
        #expect(finish(bench) == (["answer 1"], 1))
        bench.engine.change(DeleteTextRules(ids: ["worse"]), as: .server, answerTo: bench.address(2))
        say("bad", 3, bench)
        say("worse", 4, bench)
        bench.engine.query(GetUnreadCounts(), as: .user(bob), answerTo: bench.address(5))
        bench.pause()
        bench.log.sync()
        #expect(Set(bench.ear.news()) == ["answer 2", "answer 5"])
        #expect(finish(bench) == (["answer 3 1050", "answer 4"], 1))
    }

    @Test func `rules that were deleted while they were compiled do not hold`() {
        let bench = begin()
        bench.engine.change(refusing("bad", "worse", "worst"), as: .server, answerTo: bench.address(1))
        #expect(finish(bench) == (["answer 1"], 1))
        bench.engine.change(DeleteTextRules(ids: ["worse"]), as: .server, answerTo: bench.address(2))
        say("bad", 3, bench)
        bench.pause()
        #expect(shelf.waitingCount == 1)
        bench.engine.change(DeleteTextRules(ids: ["bad"]), as: .server, answerTo: bench.address(4))
        #expect(finish(bench) == (["answer 2", "answer 4", "answer 3"], 2))
    }

    @Test func `a message whose rules change each time they are compiled is refused with 111`() {
        let bench = begin()
        let ids = (0..<20).map { "rule\($0)" }
        let rules = ids.map { TextRuleDefinition(id: $0, words: [$0], action: .refuse) }
        bench.engine.change(SetTextRules(rules: rules), as: .server, answerTo: bench.address(1))
        #expect(finish(bench) == (["answer 1"], 1))
        bench.engine.change(DeleteTextRules(ids: [ids[0]]), as: .server, answerTo: bench.address(2))
        say("hello", 3, bench)
        bench.pause()
        var compiled = 0
        while shelf.waitingCount > 0 {
            compiled += 1
            bench.engine.change(
                DeleteTextRules(ids: [ids[compiled]]), as: .server, answerTo: bench.address(UInt32(compiled + 3)))
            bench.pause()
            shelf.answer()
            bench.pause()
        }
        #expect(compiled == 16)
        #expect(finish(bench).answers.contains("answer 3 111"))
    }

    @Test func `rules that are set at the same time all hold`() {
        let bench = begin()
        for (index, id) in ["one", "two", "three"].enumerated() {
            bench.engine.change(refusing(id), as: .server, answerTo: bench.address(UInt32(index + 1)))
        }
        #expect(finish(bench).answers.sorted() == ["answer 1", "answer 2", "answer 3"])
        for (index, id) in ["one", "two", "three"].enumerated() { say(id, UInt32(index + 4), bench) }
        #expect(finish(bench) == (["answer 4 1050", "answer 5 1050", "answer 6 1050"], 0))
    }

    @Test func `rules that cannot be compiled are refused, and so are trials of them`() {
        let bench = begin()
        let broken = TextRuleDefinition(id: "r", pattern: "(", action: .refuse)
        bench.engine.change(SetTextRules(rules: [broken]), as: .server, answerTo: bench.address(1))
        bench.engine.query(TestTextRules(text: "x", rules: [broken]), as: .server, answerTo: bench.address(2))
        let end = finish(bench)
        #expect(end.answers.sorted() == ["answer 1 1032", "answer 2 1032"])
        say("x", 3, bench)
        #expect(finish(bench) == (["answer 3"], 0))
    }

    @Test func `more commands than may wait are refused with 111`() {
        let bench = begin(commandsWaiting: 1)
        bench.engine.change(refusing("bad", "worse"), as: .server, answerTo: bench.address(1))
        #expect(finish(bench) == (["answer 1"], 1))
        bench.engine.change(DeleteTextRules(ids: ["worse"]), as: .server, answerTo: bench.address(2))
        _ = finish(bench)
        for (index, user) in [ann, bob].enumerated() {
            say("good", as: user, UInt32(index + 3), bench)
            bench.pause()
        }
        #expect(bench.ear.news() == ["answer 4 111"])
        #expect(finish(bench) == (["answer 3"], 1))
    }
}
