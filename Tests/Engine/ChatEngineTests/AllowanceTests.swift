import ChatDomain
import ChatEngine
import ChatModel
import Synchronization
import Testing

/// The effects that one user at full rate can have on others (`CH6`, `CH7`, `US4`).
@Suite struct AllowanceTests {
    private func known(_ bench: Bench, _ count: Int) -> [UserID] {
        let users = (0..<count).map { UserID(stringLiteral: "u\($0)") }
        for start in stride(from: 0, to: count, by: 100) {
            let part = users[start..<min(count, start + 100)].map { UpsertUser(id: $0, nickname: "n") }
            bench.engine.change(UpsertUsers(users: part), as: .server, answerTo: bench.address(1))
        }
        bench.settle()
        bench.log.sync()
        _ = bench.ear.news()
        return users
    }

    private func answers(_ bench: Bench) -> [String] {
        bench.log.sync()
        return bench.ear.news().filter { $0.hasPrefix("answer") }
    }

    private func additions(in bench: Bench) -> Int {
        bench.log.frames.joined().count { record in
            guard case .memberJoined(let joined) = record.event else { return false }
            return joined.user != record.by
        }
    }

    @Test
    func `CH7: a rate limit keeps one user from filling everyone's channel list with large super channels`() {
        let now = Mutex<Int64>(1_780_000_000_000)
        let bench = Bench(clock: { now.withLock(\.self) })
        let users = known(bench, FieldLimits.idsPerCommand)
        for number in 0..<20 {
            bench.change(
                CreateChannel(id: ChannelID(stringLiteral: "s\(number)"), userIDs: users, isSuper: true), as: ann,
                UInt32(number))
            bench.log.sync()
        }
        #expect(answers(bench) == (0..<8).map { "answer \($0)" } + (8..<20).map { "answer \($0) 111" })
        #expect(additions(in: bench) == 2_000 && bench.log.reserved == 0)
        // An hour at the full rate of 60 per minute.
        for number in 20..<80 {
            now.withLock { $0 += 60_000 }
            for part in 0..<3 {
                let some = Array(users[part * 60..<(part + 1) * 60])
                let create = CreateChannel(
                    id: ChannelID(stringLiteral: "s\(number)-\(part)"), userIDs: some, isSuper: true)
                bench.change(create, as: ann)
                bench.log.sync()
            }
        }
        #expect(additions(in: bench) == 2_000 + 60 * 60)
        // Others have separate allowances, and the server has none.
        bench.change(CreateChannel(id: "bobs", userIDs: users, isSuper: true), as: bob, 3)
        bench.engine.change(
            CreateChannel(id: "apps", userIDs: users, isSuper: true), as: .server, answerTo: bench.address(4))
        bench.settle()
        #expect(answers(bench).suffix(2) == ["answer 3", "answer 4"])
    }

    @Test func `CH6: no user can create thousands of channels in a minute`() {
        let now = Mutex<Int64>(1_780_000_000_000)
        let bench = Bench(clock: { now.withLock(\.self) })
        for number in 0..<1_000 {
            now.withLock { $0 += 60 }
            bench.change(CreateChannel(id: ChannelID(stringLiteral: "p\(number)"), isPublic: true), as: ann)
        }
        let created = bench.log.frames.joined().count { record in
            if case .channelCreated = record.event { true } else { false }
        }
        // 100 immediately, then one every five seconds for a minute.
        #expect(created == 111)
        #expect(answers(bench).count { $0 == "answer 1 111" } == 1_000 - 111)
    }

    @Test func `CH3: finding an existing distinct channel costs nothing`() {
        let bench = Bench()
        _ = known(bench, 1)
        for number in 0..<150 {
            bench.change(CreateChannel(userIDs: ["u0"], isDistinct: true), as: ann, UInt32(number))
        }
        #expect(answers(bench) == (0..<150).map { "answer \($0)" })
    }
}
