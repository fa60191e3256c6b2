import ChatDomain
import ChatModel
import Gateway
import TestSupport
import Testing
import WireProtocol

@testable import ChatEngine

/// Reads and connections on a node that does not decide.
@Suite struct FollowerReadTests {
    private func message(_ text: String) -> SendMessage { SendMessage(channelID: general, text: text) }

    @Test func `a read waits for the writer's last frame and sees it`() {
        let scene = FollowerScene()
        scene.read(ListMessages(channelID: general), as: ann, "a")
        #expect(scene.synced().isEmpty)
        #expect(scene.port.questionCount == 1)
        scene.answerQuestion(scene.lastFrame + 1)
        #expect(scene.synced().isEmpty)
        scene.log(message("one"), as: .user(ann))
        scene.follower.settle()
        #expect(scene.synced().count == 1)
        #expect(scene.synced()[0].contains(#""text":"one""#))
    }

    @Test func `a read is answered at once if the node is up to date, or if nobody answers the question`() {
        let scene = FollowerScene()
        scene.read(GetUser(), as: ann, "a")
        scene.answerQuestion(scene.lastFrame)
        scene.read(GetUser(), as: ann, "b")
        scene.answerQuestion(nil)
        #expect(scene.synced().map { $0.prefix(2) } == ["a:", "b:"])
    }

    @Test func `one question serves all reads that arrived before it`() {
        let scene = FollowerScene()
        scene.read(GetUser(), as: ann, "a")
        for name in ["b", "c", "d"] { scene.read(GetUser(), as: ann, name) }
        #expect(scene.port.questionCount == 1)
        scene.answerQuestion(scene.lastFrame)
        // The others arrived after it was asked.
        #expect(scene.synced().map { $0.prefix(2) } == ["a:"])
        #expect(scene.port.questionCount == 1)
        scene.answerQuestion(scene.lastFrame)
        #expect(scene.synced().map { $0.prefix(2) } == ["a:", "b:", "c:", "d:"])
        #expect(scene.port.questionCount == 0)
    }

    @Test func `a read that waits too long for a frame is refused with 1040`() {
        let scene = FollowerScene()
        scene.read(GetUser(), as: ann, "a")
        scene.answerQuestion(scene.lastFrame + 1)
        scene.clock.advance(5_000)
        scene.clock.fire(scene.follower)
        #expect(scene.synced().isEmpty)
        scene.clock.advance(1)
        scene.clock.fire(scene.follower)
        #expect(scene.synced() == ["a: 1040 this node is behind 0"])
        scene.log(message("one"), as: .user(ann))
        #expect(scene.synced().count == 1)
    }

    @Test func `a new user's first read has the user created elsewhere, and waits for it`() {
        let scene = FollowerScene()
        scene.read(GetUser(), as: "carol", "a")
        scene.answerQuestion(scene.lastFrame)
        #expect(scene.port.relayed.withLock { $0.map(\.method) } == [AdmitUser.method])
        scene.log(AdmitUser(), as: .user("carol"), serial: 1)
        #expect(scene.answers.all.isEmpty)
        _ = scene.synced()
        #expect(scene.synced().count == 1)
        #expect(scene.synced()[0].contains(#""id":"carol""#))
    }

    @Test func `a read of a new user who is refused elsewhere gets that refusal`() {
        let scene = FollowerScene()
        scene.read(GetUser(), as: "carol", "a")
        scene.answerQuestion(scene.lastFrame)
        scene.follow(1, Rejection(.storageUnavailable, "full").encoded)
        _ = scene.synced()
        #expect(scene.synced() == ["a: 1040 full 0"])
    }

    @Test func `reads that wait are answered by a node that becomes the writer`() {
        let scene = FollowerScene()
        scene.read(GetUser(), as: ann, "a")
        scene.read(GetUser(), as: ann, "b")
        scene.lead(term: 2)
        #expect(scene.synced().map { $0.prefix(2) } == ["a:", "b:"])
        // The answer to the question comes too late.
        scene.answerQuestion(1)
        scene.read(GetUser(), as: ann, "c")
        #expect(scene.synced().map { $0.prefix(2) } == ["a:", "b:", "c:"])
        #expect(scene.port.questionCount == 0)
    }

    @Test func `a connection begins once its node has applied what the writer named`() {
        let scene = FollowerScene()
        scene.follower.attach(bob, 1)
        #expect(scene.port.presence.withLock(\.self) == [])
        scene.answerQuestion(scene.lastFrame + 1)
        scene.follower.log.sync()
        #expect(scene.follower.ear.news().isEmpty)
        scene.log(message("one"), as: .user(ann))
        scene.follower.settle()
        scene.follower.log.sync()
        #expect(scene.follower.ear.news().contains("attached 1 bob #bob@1 general@3"))
        #expect(scene.port.presence.withLock(\.self) == ["+bob"])
        scene.follower.detach(bob)
        #expect(scene.port.presence.withLock(\.self) == ["+bob", "-bob"])
    }

    @Test func `a connection that closes while it waits leaves nobody online`() {
        let scene = FollowerScene()
        scene.follower.attach(bob, 1)
        scene.follower.detach(bob)
        scene.answerQuestion(nil)
        #expect(scene.port.presence.withLock(\.self) == ["+bob", "-bob"])
    }

    @Test func `a client that has seen more waits for this node although the writer does not answer`() throws {
        let scene = FollowerScene()
        let (offset, epoch) = try #require(scene.follower.engine.state.position(of: .channel(general)))
        scene.follower.attach(bob, 1, from: [.channel(general): RoomPosition(offset: offset + 1, epoch: epoch)])
        scene.answerQuestion(nil)
        scene.follower.log.sync()
        #expect(scene.follower.ear.news().isEmpty)
        scene.log(message("one"), as: .user(ann))
        scene.follower.settle()
        scene.follower.log.sync()
        #expect(scene.follower.ear.news().contains { $0.hasPrefix("attached 1 bob") })
    }

    @Test func `a client that has seen more is refused with 1040 after five seconds, and others are served`() throws {
        let scene = FollowerScene()
        let (offset, epoch) = try #require(scene.follower.engine.state.position(of: .channel(general)))
        let ahead: [[Room: RoomPosition]] = [
            [.channel(general): RoomPosition(offset: offset + 1, epoch: epoch)],
            [.channel("unknown"): RoomPosition(offset: 1, epoch: epoch)],
        ]
        for (index, positions) in ahead.enumerated() { scene.follower.attach(bob, UInt32(index), from: positions) }
        // Neither an older position nor one of a room that was created anew is ahead.
        scene.follower.attach(bob, 2, from: [.channel(general): RoomPosition(offset: offset, epoch: epoch)])
        scene.follower.attach(bob, 3, from: [.channel(general): RoomPosition(offset: offset + 1, epoch: "other")])
        for _ in 0..<2 { scene.answerQuestion(nil) }
        scene.follower.log.sync()
        #expect(scene.follower.ear.news().count { $0.hasPrefix("attached") } == 2)
        scene.clock.advance(5_001)
        scene.clock.fire(scene.follower)
        scene.follower.log.sync()
        #expect(scene.follower.ear.news() == ["answer 0 1040", "answer 1 1040"])
        #expect(scene.follower.engine.cluster?.reads.count == 0)
    }

    @Test func `a user's other connection counts while an attachment that waits is refused`() {
        let scene = FollowerScene()
        scene.follower.attach(bob, 1)
        scene.answerQuestion(nil)
        scene.follower.attach(bob, 2)
        scene.answerQuestion(scene.lastFrame + 1)
        scene.clock.advance(5_001)
        scene.clock.fire(scene.follower)
        #expect(scene.port.presence.withLock(\.self) == ["+bob"])
        scene.follower.detach(bob)
        #expect(scene.port.presence.withLock(\.self) == ["+bob", "-bob"])
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `connections that open and close in any order while attachments wait leave no ghost`(seed: UInt64) {
        let scene = FollowerScene()
        var random = SeededGenerator(seed: seed)
        let users: [UserID] = [ann, bob]
        var open: [UserID: Int] = [:]
        for _ in 0..<60 {
            let user = random.pick(users)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                scene.follower.attach(user, 1)
                open[user, default: 0] += 1
            case 2, 3:
                guard let count = open[user], count > 0 else { continue }
                open[user] = count - 1
                scene.follower.detach(user)
            default:
                scene.answerQuestion(random.chance(2) ? nil : scene.lastFrame + (random.chance(2) ? 1 : 0))
                if random.chance(2) { scene.log(message("a"), as: .user(ann)) }
            }
        }
        while scene.port.questionCount > 0 { scene.answerQuestion(nil) }
        scene.log(message("last"), as: .user(ann))
        scene.follower.settle()
        scene.follower.settle()
        for user in users {
            let changes = scene.port.presence.withLock { $0.filter { $0.hasSuffix(user.rawValue) } }
            #expect(
                changes.count { $0.hasPrefix("+") } - changes.count { $0.hasPrefix("-") }
                    == (open[user, default: 0] > 0 ? 1 : 0), "seed \(seed)")
            #expect(zip(changes, changes.dropFirst()).allSatisfy { $0 != $1 }, "seed \(seed)")
            for _ in 0..<open[user, default: 0] { scene.follower.detach(user) }
        }
        scene.follower.settle()
        let all = scene.port.presence.withLock(\.self)
        #expect(all.count { $0.hasPrefix("+") } == all.count { $0.hasPrefix("-") }, "seed \(seed)")
    }

    @Test func `users of other nodes are online, once however many nodes have them`() {
        let scene = FollowerScene()
        scene.follower.attach(bob, 1)
        scene.answerQuestion(nil)
        scene.follower.log.sync()
        func isOnline(_ name: String) -> Bool {
            scene.read(GetUser(userID: ann), as: bob, name)
            scene.answerQuestion(nil)
            return scene.synced().last?.contains(#""online":true"#) ?? false
        }
        scene.follower.engine.recordPresence(connected: [ann], disconnected: [])
        scene.follower.engine.recordPresence(connected: [ann], disconnected: [])
        #expect(isOnline("a"))
        scene.follower.engine.recordPresence(connected: [ann], disconnected: [ann, ann])
        #expect(isOnline("b"))
    }
}
