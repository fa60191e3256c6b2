import ChatDomain
import ChatModel
import Gateway
import Journal
import Synchronization
import Testing
import WireProtocol

@testable import ChatEngine

/// Commands of clients on a node that does not decide.
@Suite struct FollowerCommandTests {
    private func message(_ text: String) -> SendMessage { SendMessage(channelID: general, text: text) }

    @Test func `commands go to the deciding node in the order of their arrival, and none is answered yet`() {
        let scene = FollowerScene()
        scene.send(message("one"), as: ann, "a")
        scene.send(JoinChannel(channelID: general), as: "carol", "b")
        scene.follower.engine.change(
            DeactivateUser(userID: bob), as: .server, admitsNewcomer: false, answerTo: scene.answers.address("c"))
        scene.follower.settle()
        let relayed = scene.port.relayed.withLock(\.self)
        #expect(relayed.map(\.serial) == [1, 2, 3])
        #expect(relayed.map(\.method) == ["message.send", "channel.join", "user.deactivate"])
        #expect(relayed.map(\.caller) == [.user(ann), .user("carol"), .server])
        #expect(relayed.map(\.admitsNewcomer) == [true, true, false])
        #expect(relayed[1].request == Array(#"{"channel_id":"general"}"#.utf8))
        #expect(scene.synced().isEmpty)
    }

    @Test func `a command is answered with the writer's words once its frame is in this node's log`() {
        let scene = FollowerScene()
        scene.send(message("one"), as: ann, "a")
        let expected = scene.log(message("one"), as: .user(ann), serial: 1)
        #expect(scene.answers.all.isEmpty)
        #expect(scene.synced() == ["a: \(expected)"])
        #expect(expected.contains(#""text":"one""#))
    }

    @Test func `frames of other nodes answer nothing, and answers come in the order of the log`() {
        let scene = FollowerScene()
        scene.send(message("one"), as: ann, "a")
        scene.send(message("two"), as: bob, "b")
        scene.log(message("other"), as: .user(ann))
        #expect(scene.synced().isEmpty)
        let second = scene.log(message("two"), as: .user(bob), serial: 2)
        let first = scene.log(message("one"), as: .user(ann), serial: 1)
        #expect(scene.synced() == ["b: \(second)", "a: \(first)"])
    }

    @Test func `a refusal keeps its code, its detail and its pause`() {
        let scene = FollowerScene()
        scene.send(message("one"), as: ann, "a")
        scene.follow(1, Rejection(.tooManyRequests, "work budget", retryAfterMilliseconds: 250).encoded)
        scene.send(JoinChannel(channelID: "nowhere"), as: ann, "b")
        let refused = scene.log(JoinChannel(channelID: "nowhere"), as: .user(ann), serial: 2)
        #expect(scene.synced() == ["a: 111 work budget 250", "b: \(refused)"])
        #expect(refused.hasPrefix("1000"))
    }

    @Test func `a refusal that a newer node encoded differently is an internal error`() {
        for bytes in ["", "[]", "{}", #"{"code":99999}"#, #"{"code":"a"}"#] {
            #expect(Rejection(encoded: Array(bytes.utf8)).code == .internal)
        }
        let plain = Rejection(.notFound)
        #expect(Rejection(encoded: plain.encoded) == plain)
    }

    @Test func `a command without records is answered after the events before it`() {
        let scene = FollowerScene()
        scene.follower.attach(bob, 1)
        scene.answerQuestion(nil)
        scene.follower.log.sync()
        _ = scene.follower.ear.news()
        scene.send(JoinChannel(channelID: general), as: ann, "a")
        scene.log(message("other"), as: .user(bob))
        let answer = scene.log(JoinChannel(channelID: general), as: .user(ann), serial: 1)
        #expect(scene.answers.all.isEmpty)
        #expect(scene.synced() == ["a: \(answer)"])
        #expect(scene.follower.ear.news() == ["general 3 message.new"])
    }

    @Test func `a new caller's record does not count as the command's own`() {
        let scene = FollowerScene()
        scene.send(CreateChannel(name: "tea"), as: "carol", "a")
        let answer = scene.log(CreateChannel(name: "tea"), as: .user("carol"), serial: 1)
        #expect(scene.synced() == ["a: \(answer)"])
        #expect(answer.contains(#""name":"tea""#))
        // Refused, and created all the same.
        scene.send(JoinChannel(channelID: "nowhere"), as: "dan", "b")
        let refused = scene.log(JoinChannel(channelID: "nowhere"), as: .user("dan"), serial: 2)
        #expect(scene.synced().last == "b: \(refused)")
    }

    @Test func `a frame that is shown twice answers once`() {
        let scene = FollowerScene()
        scene.send(message("one"), as: ann, "a")
        scene.log(message("one"), as: .user(ann), serial: 1)
        scene.follow(1)
        #expect(scene.synced().count == 1)
    }

    @Test func `after 20 seconds a command is answered with 1041, and nothing later answers it again`() {
        let scene = FollowerScene()
        scene.send(message("one"), as: ann, "a")
        scene.clock.advance(1)
        scene.send(message("two"), as: ann, "b")
        scene.clock.advance(19_999)
        scene.clock.fire(scene.follower)
        #expect(scene.synced().isEmpty)
        scene.clock.advance(1)
        scene.clock.fire(scene.follower)
        #expect(scene.synced() == ["a: 1041  0"])
        #expect(scene.port.forgotten.withLock(\.self) == [1])
        scene.log(message("one"), as: .user(ann), serial: 1)
        #expect(scene.synced().count == 1)
        let second = scene.log(message("two"), as: .user(ann), serial: 2)
        #expect(scene.synced() == ["a: 1041  0", "b: \(second)"])
    }

    @Test func `while the oldest command has waited for more than two seconds, others are refused with 1040`() {
        let scene = FollowerScene()
        scene.send(message("one"), as: ann, "a")
        scene.clock.advance(2_000)
        scene.send(message("two"), as: ann, "b")
        scene.clock.advance(1)
        scene.send(message("three"), as: bob, "c")
        #expect(scene.synced() == ["c: 1040 the writing node does not answer 0"])
        #expect(scene.port.relayed.withLock { $0.map(\.serial) } == [1, 2])
        scene.log(message("one"), as: .user(ann), serial: 1)
        scene.send(message("three"), as: bob, "d")
        #expect(scene.port.relayed.withLock { $0.map(\.serial) } == [1, 2, 3])
    }

    @Test func `at the start of another's term, everything that waits is named again, in order`() {
        let scene = FollowerScene()
        for (index, text) in ["one", "two", "three"].enumerated() {
            scene.send(message(text), as: ann, "\(index)")
        }
        scene.log(message("two"), as: .user(ann), serial: 2)
        scene.follower.engine.follow(term: 7)
        scene.follower.settle()
        #expect(scene.port.restarts.withLock(\.self) == ["term 7: [1, 3]"])
    }

    @Test func `a node that becomes the writer carries out what waits, once and in order`() {
        let scene = FollowerScene()
        scene.send(message("one"), as: ann, "a")
        scene.send(message("two"), as: "carol", "b")
        scene.send(message("three"), as: ann, "c")
        scene.log(message("one"), as: .user(ann), serial: 1)
        let frames = scene.follower.log.frames.count
        scene.lead(term: 2)
        let answers = scene.synced()
        #expect(answers.map { $0.prefix(2) }.sorted() == ["a:", "b:", "c:"])
        let texts = scene.follower.log.frames.dropFirst(frames).joined().compactMap { record -> String? in
            if case .messageSent(let sent) = record.event { sent.text } else { nil }
        }
        // Carol is no member.
        #expect(texts == ["three"])
        #expect(scene.port.restarts.withLock(\.self) == ["term 2: []"])
        scene.send(message("four"), as: ann, "d")
        #expect(scene.port.relayed.withLock(\.count) == 3)
        #expect(scene.synced().count == 4)
        scene.clock.advance(60_000)
        scene.clock.fire(scene.follower)
        #expect(scene.synced().count == 4)
    }

    @Test func `what arrives while a node becomes the writer does not overtake what waits`() {
        let scene = FollowerScene()
        scene.send(message("one"), as: ann, "a")
        scene.send(message("two"), as: ann, "b")
        scene.follower.log.setFollowing(false)
        let (begun, go) = (Gate(), Gate())
        scene.follower.engine.runBetweenBatches {
            begun.open()
            go.wait()
        }
        begun.wait()
        scene.follower.engine.change(message("three"), as: .user(ann), answerTo: scene.answers.address("c"))
        scene.follower.engine.lead(term: 2)
        go.open()
        scene.follower.settle()
        scene.follower.settle()
        #expect(scene.synced().map { $0.prefix(1) } == ["a", "b", "c"])
    }

    /// Lets another node's command of a term arrive at the deciding node.
    private func arrive(
        _ scene: FollowerScene, _ text: String, serial: UInt64, term: UInt64 = 2,
        abandoned: @escaping @Sendable () -> Void = {}
    ) throws {
        let node = try #require(NodeID(name: "other", start: 1))
        let remote = RemoteCommand(CommandOrigin(node: node, serial: serial), term: term, abandoned: abandoned) { _ in }
        scene.follower.engine.change(message(text), as: .user(bob), answerTo: ReturnAddress(remote))
        scene.follower.settle()
    }

    @Test func `a node that has yielded its term does not make other nodes' commands its own`() throws {
        let scene = FollowerScene()
        scene.lead(term: 2)
        scene.follower.engine.yieldTerm {}
        try arrive(scene, "other", serial: 1)
        scene.send(message("own"), as: ann, "a")
        let frames = scene.follower.log.frames.count
        scene.follower.engine.follow(term: 3)
        scene.follower.settle()
        #expect(scene.port.relayed.withLock { $0.map(\.caller) } == [.user(ann)])
        #expect(scene.port.restarts.withLock(\.last) == "term 3: [1]")
        #expect(scene.follower.log.frames.count == frames)
    }

    @Test func `another node's command does not take effect in a later term than the one in which it arrived`() throws {
        let scene = FollowerScene()
        let abandoned = Atomic(0)
        let abandon: @Sendable () -> Void = { abandoned.add(1, ordering: .relaxed) }
        scene.lead(term: 2)
        scene.follower.engine.yieldTerm {}
        try arrive(scene, "before the next term", serial: 1, abandoned: abandon)
        scene.follower.engine.follow(term: 3)
        try arrive(scene, "in the next term", serial: 2, abandoned: abandon)
        let frames = scene.follower.log.frames.count
        scene.lead(term: 4)
        try arrive(scene, "in this node's next term", serial: 3, abandoned: abandon)
        #expect(scene.follower.log.frames.count == frames)
        #expect(abandoned.load(ordering: .relaxed) == 3)
        try arrive(scene, "of this term", serial: 4, term: 4)
        #expect(scene.follower.log.frames.count == frames + 1)
    }

    @Test func `an overloaded node refuses another node's command in the log, but not in a later term`() throws {
        let scene = FollowerScene()
        scene.lead(term: 2)
        scene.follower.ear.waiting.withLock { $0 = 10_000 }
        let node = try #require(NodeID(name: "other", start: 1))
        let ends = Mutex([String]())
        func arrive(_ serial: UInt64, term: UInt64) {
            let remote = RemoteCommand(
                CommandOrigin(node: node, serial: serial), term: term,
                abandoned: { ends.withLock { $0.append("abandoned") } },
                done: { answer in ends.withLock { $0.append(Answers.words(answer)) } })
            scene.follower.engine.change(message("other"), as: .user(bob), answerTo: ReturnAddress(remote))
        }
        arrive(1, term: 2)
        scene.follower.engine.follow(term: 3)
        arrive(2, term: 2)
        scene.follower.settle()
        scene.follower.log.sync()
        #expect(ends.withLock(\.self).sorted() == ["111  0", "abandoned"])
    }

    @Test func `a node that resumes its term carries out what arrived meanwhile, once`() throws {
        let scene = FollowerScene()
        scene.lead(term: 2)
        scene.follower.engine.yieldTerm {}
        try arrive(scene, "other", serial: 1)
        scene.send(message("own"), as: ann, "a")
        let frames = scene.follower.log.frames.count
        for _ in 0..<2 { scene.lead(term: 2) }
        let texts = scene.follower.log.frames.dropFirst(frames).joined().compactMap { record -> String? in
            if case .messageSent(let sent) = record.event { sent.text } else { nil }
        }
        #expect(texts == ["own", "other"])
        #expect(scene.synced().count == 1)
    }

    @Test func `signals and messages that are not stored are told to the other nodes`() {
        let scene = FollowerScene()
        scene.follower.engine.signal(
            StartTyping(channelID: general), as: .user(ann), answerTo: scene.answers.address("a"))
        scene.follower.settle()
        let news = scene.port.news.withLock(\.self)
        let request = Array(#"{"channel_id":"general"}"#.utf8)
        #expect(news == [.signal(method: "typing.start", request: request, .user(ann))])
    }
}
