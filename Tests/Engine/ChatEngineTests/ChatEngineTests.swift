import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import Synchronization
import Testing
import WireProtocol

@Suite struct ChatEngineTests {
    /// Returns a bench with ann and bob in general and everything delivered.
    func begin(settings: ChatSettings = ChatSettings()) -> Bench {
        let bench = Bench(settings: settings)
        bench.attach(ann)
        bench.attach(bob)
        bench.change(CreateChannel(id: general, userIDs: [bob]), as: ann)
        bench.log.sync()
        _ = bench.ear.news()
        return bench
    }

    let hello = SendMessage(channelID: general, text: "hello")

    // MARK: Nothing leaves before it is durable

    @Test func `no event or reply is sent before its sync, and events come before replies`() {
        let bench = begin()
        bench.change(hello, as: ann, 7)
        #expect(bench.ear.news().isEmpty)
        bench.change(hello, as: bob, 8)
        #expect(bench.ear.news().isEmpty)
        bench.log.sync(first: 1)
        #expect(bench.ear.news() == ["general 3 message.new", "answer 7"])
        bench.log.sync()
        #expect(bench.ear.news() == ["general 4 message.new", "answer 8"])
    }

    @Test func `a sync of many commands causes one post per loop`() {
        let bench = begin()
        let posts = bench.ear.postCount
        for command in 1...20 as ClosedRange<UInt32> { bench.change(hello, as: ann, command) }
        bench.log.sync()
        #expect(bench.ear.postCount == posts + 1 && bench.ear.heard.count == 40)
    }

    @Test func `a query is answered immediately, unless it could reveal something that is not durable yet`() {
        let bench = begin()
        bench.query(ListMessages(channelID: general), as: ann, 5)
        #expect(bench.ear.news() == ["answer 5"])
        bench.change(hello, as: bob, 6)
        bench.query(ListMessages(channelID: general), as: ann, 7)
        bench.query(GetChannel(channelID: "nowhere"), as: ann, 8)
        #expect(bench.ear.news().isEmpty)
        bench.log.sync()
        #expect(bench.ear.news() == ["general 3 message.new", "answer 6", "answer 7", "answer 8 1000"])
        bench.query(ListMessages(channelID: general), as: ann, 9)
        #expect(bench.ear.news() == ["answer 9"])
    }

    @Test func `an error reply waits for earlier changes to be synced, like a query`() {
        let bench = begin()
        bench.change(JoinChannel(channelID: "nowhere"), as: ann, 5)
        #expect(bench.ear.news() == ["answer 5 1000"])
        bench.change(hello, as: ann, 6)
        bench.change(JoinChannel(channelID: "nowhere"), as: ann, 7)
        #expect(bench.ear.news().isEmpty)
        bench.log.sync()
        #expect(bench.ear.news() == ["general 3 message.new", "answer 6", "answer 7 1000"])
    }

    @Test func `MS3: a retry waits for the sync of the original, and writes nothing`() {
        let bench = begin()
        let request = SendMessage(channelID: general, text: "hello", clientID: "c1")
        bench.change(request, as: ann, 6)
        let frames = bench.log.frames.count
        bench.change(request, as: ann, 7)
        #expect(bench.log.frames.count == frames && bench.log.reserved == 0)
        #expect(bench.ear.news().isEmpty, "the first one is not durable yet")
        bench.log.sync()
        #expect(bench.ear.news() == ["general 3 message.new", "answer 6", "answer 7"])
    }

    @Test func `US4: a refused command that also causes events is answered after its events`() {
        var settings = ChatSettings()
        settings.channelsPerUser = 1
        let bench = Bench(settings: settings)
        bench.attach(ann)
        bench.attach(bob)
        bench.change(UpdatePreferences(autoAcceptInvitations: false), as: bob)
        bench.change(CreateChannel(id: general, userIDs: [bob]), as: ann)
        bench.change(CreateChannel(id: "bobs"), as: bob)
        bench.log.sync()
        _ = bench.ear.news()
        let frames = bench.log.frames.count
        bench.change(AcceptInvitation(channelID: general), as: bob, 9)
        #expect(bench.ear.news().isEmpty && bench.log.frames.count == frames + 1)
        bench.log.sync()
        #expect(
            bench.ear.news() == [
                "general 3 invitation.cancelled", "#bob 2 invitation.cancelled", "answer 9 1013",
            ])
    }

    // MARK: Grants

    @Test func `a grant is ordered with the events: its position includes earlier ones, and later ones follow`() {
        let bench = begin()
        let start = RoomPosition(offset: 1, epoch: bench.epoch(of: .channel(general)))
        bench.change(hello, as: ann, 3)
        bench.subscribe(bob, to: .channel(general), 4, from: start)
        bench.change(hello, as: ann, 5)
        bench.attach(bob, 6, from: [.channel(general): start])
        bench.change(hello, as: ann, 7)
        #expect(bench.ear.news().isEmpty, "also a grant waits for what it stands on")
        bench.log.sync()
        #expect(
            bench.ear.news() == [
                "general 3 message.new", "answer 3", "subscribed 4 general@3 recovered [2, 3]",
                "general 4 message.new", "answer 5", "attached 6 bob #bob@1 general@4 recovered [2, 3, 4]",
                "general 5 message.new", "answer 7",
            ])
    }

    @Test func `CH9: joining and leaving are ordered with the room's events`() {
        let bench = begin()
        bench.change(LeaveChannel(channelID: general), as: bob, 3)
        bench.change(hello, as: ann, 4)
        bench.change(InviteToChannel(channelID: general, userIDs: [bob]), as: ann, 5)
        bench.log.sync()
        #expect(
            bench.ear.news() == [
                "lost bob general", "general 3 member.left", "#bob 2 member.left", "answer 3", "general 4 message.new",
                "answer 4", "gained bob general@4", "general 5 member.joined", "#bob 3 member.joined", "answer 5",
            ])
    }

    @Test func `CH17: unrecoverable positions are distinguished from recoverable ones`() {
        let bench = begin()
        let (room, epoch) = (Room.channel(general), bench.epoch(of: .channel(general)))
        bench.change(LeaveChannel(channelID: general), as: bob)
        bench.change(InviteToChannel(channelID: general, userIDs: [bob]), as: ann)
        bench.log.sync()
        _ = bench.ear.news()
        // Bob's membership began after offset 3, and the top is 4.
        let rows: [(RoomPosition, String)] = [
            (RoomPosition(offset: 4, epoch: epoch), "recovered []"),
            (RoomPosition(offset: 3, epoch: epoch), "recovered [4]"),
            (RoomPosition(offset: 2, epoch: epoch), "impossible"),
            (RoomPosition(offset: 5, epoch: epoch), "impossible"),
            (RoomPosition(offset: 4, epoch: "other"), "impossible"),
            (RoomPosition(offset: 4, epoch: ""), "impossible"),
            (RoomPosition(offset: 1 << 63, epoch: epoch), "impossible"),
            (RoomPosition(offset: .max, epoch: epoch), "impossible"),
        ]
        for (position, result) in rows {
            bench.subscribe(bob, to: room, 9, from: position)
            bench.subscribe(bob, to: room, 9, from: position, rejects: true)
            bench.log.sync()
            let rejected = result == "impossible" ? "subscribed 9 112" : "subscribed 9 general@4 \(result)"
            #expect(bench.ear.news() == ["subscribed 9 general@4 \(result)", rejected], "\(position)")
        }
        bench.subscribe(ann, to: room, 9, from: RoomPosition(offset: 0, epoch: epoch))
        bench.subscribe(ann, to: .inbox(bob), 10)
        bench.subscribe(ann, to: .channel("nowhere"), 11)
        bench.log.sync()
        #expect(
            bench.ear.news() == [
                "subscribed 9 general@4 recovered [1, 2, 3, 4]", "subscribed 10 103", "subscribed 11 1000",
            ])
    }

    @Test func `CH16: a history reset reaches the user's loops in order, and no earlier event is recovered`() {
        let bench = begin()
        bench.change(hello, as: ann, 3)
        bench.change(ResetHistory(channelID: general), as: bob, 4)
        bench.log.sync()
        #expect(
            bench.ear.news() == [
                "general 3 message.new", "answer 3", "narrowed bob general 4", "#bob 2 channel.history_reset",
                "answer 4",
            ])
        let epoch = bench.epoch(of: .channel(general))
        bench.subscribe(bob, to: .channel(general), 5, from: RoomPosition(offset: 2, epoch: epoch))
        bench.subscribe(bob, to: .channel(general), 6, from: RoomPosition(offset: 3, epoch: epoch))
        bench.subscribe(ann, to: .channel(general), 7, from: RoomPosition(offset: 2, epoch: epoch))
        bench.log.sync()
        #expect(
            bench.ear.news() == [
                "subscribed 5 general@3 impossible", "subscribed 6 general@3 recovered []",
                "subscribed 7 general@3 recovered [3]",
            ])
    }

    @Test func `CH5: transient events are ordered with durable ones, and are in no ring, log or position`() {
        let bench = begin()
        let whisper: ChannelID = "whisper"
        bench.change(CreateChannel(id: whisper, userIDs: [bob], isEphemeral: true), as: ann, 3)
        bench.log.sync()
        _ = bench.ear.news()
        let frames = bench.log.frames.count
        bench.change(hello, as: ann, 4)
        bench.change(SendMessage(channelID: whisper, text: "psst"), as: bob, 5)
        let reply = SendMessage(channelID: whisper, text: "psst", parentMessageID: MessageID(high: 1, low: 1))
        bench.change(reply, as: bob, 6)
        #expect(bench.ear.news().isEmpty)
        bench.log.sync()
        #expect(
            bench.ear.news() == [
                "general 3 message.new", "answer 4", "whisper 0 message.new", "answer 5", "answer 6 1025",
            ])
        #expect(bench.log.frames.count == frames + 1 && bench.log.reserved == 0)
        let epoch = bench.epoch(of: .channel(whisper))
        bench.subscribe(ann, to: .channel(whisper), 7, from: RoomPosition(offset: 1, epoch: epoch))
        bench.log.sync()
        #expect(bench.ear.news() == ["subscribed 7 whisper@2 recovered [2]"])
    }

    @Test func `CH5: the timestamps of transient events never go back either`() {
        let time = Mutex<Int64>(10)
        let bench = Bench(clock: { time.withLock(\.self) })
        bench.change(CreateChannel(id: general, isEphemeral: true), as: ann)
        time.withLock { $0 = 50 }
        bench.change(hello, as: ann)
        bench.log.sync()
        time.withLock { $0 = 20 }
        bench.change(CreateChannel(id: "other"), as: ann)
        #expect(bench.log.frames.last?.last?.at == 50)
    }

    @Test func `a connection without subscriptions receives only its inbox`() {
        let bench = begin()
        bench.attach(ann, 4, subscribe: .none)
        bench.log.sync()
        #expect(bench.ear.news() == ["attached 4 ann #ann@0"])
    }

    @Test func `a loop receives the rooms in which it has subscribers, until it releases them`() {
        let bench = Bench(loops: 2)
        bench.attach(ann, loop: 0)
        bench.change(CreateChannel(id: general), as: ann)
        bench.log.sync()
        bench.change(hello, as: ann)
        bench.log.sync()
        #expect(bench.ears[1].heard.isEmpty)
        bench.attach(ann, loop: 1)
        bench.change(hello, as: ann)
        bench.log.sync()
        #expect(bench.ears[1].news() == ["attached 1 ann #ann@0 general@2", "general 3 message.new"])
        bench.publisher.release(.channel(general), by: 1, generation: 1)
        bench.change(hello, as: ann)
        bench.log.sync()
        #expect(bench.ears[1].news() == ["general 4 message.new"], "an older grant's release says nothing")
        for generation in 2...20 as ClosedRange<UInt64> {
            bench.publisher.release(.channel(general), by: 1, generation: generation)
        }
        bench.change(hello, as: ann)
        bench.log.sync()
        #expect(bench.ears[1].news().isEmpty)
        #expect(bench.ears[0].news().last == "answer 1")
    }

    // MARK: Newcomers

    @Test func `US1: a new user is created once, on first contact of any kind`() {
        let bench = Bench()
        bench.change(JoinChannel(channelID: "nowhere"), as: ann, 3)
        #expect(bench.ear.news().isEmpty, "the newcomer is not durable yet")
        bench.change(JoinChannel(channelID: "nowhere"), as: ann, 4)
        bench.query(GetUser(), as: ann, 5)
        bench.query(GetUser(), as: bob, 6)
        bench.attach(ann, 7)
        bench.attach("cat", 8)
        bench.log.sync()
        #expect(bench.log.frames.map(\.count) == [1, 1, 1])
        #expect(
            bench.ear.news() == [
                "answer 3 1000", "answer 4 1000", "answer 5", "answer 6", "attached 7 ann #ann@0",
                "attached 8 cat #cat@0",
            ])
    }

    @Test func `US1: a new user and their first command are one frame`() {
        let bench = Bench()
        bench.change(CreateChannel(id: general), as: ann)
        #expect(bench.log.frames.map(\.count) == [2])
    }

    // MARK: Bounds

    /// Issue 20: below the reserve, even the app's backend could not delete anything.
    @Test func `when space runs low, users are refused with 1040, and server keys are not`() {
        let bench = begin()
        bench.log.keepForServer()
        bench.change(hello, as: ann, 3)
        bench.engine.change(hello, as: .user(ann), admitsNewcomer: false, answerTo: bench.address(4))
        bench.engine.change(FreezeChannel(channelID: general), as: .server, answerTo: bench.address(5))
        bench.engine.query(GetUser(), as: .user("cat"), answerTo: bench.address(6))
        bench.settle()
        bench.log.sync()
        #expect(
            bench.ear.news().filter { $0.hasPrefix("answer") }.sorted()
                == ["answer 3 1040", "answer 4", "answer 5", "answer 6 1040"])
    }

    @Test func `without space for a frame, changes are refused with 1040, and reads continue`() {
        let bench = begin()
        bench.log.fill()
        bench.change(hello, as: ann, 3)
        bench.query(ListMessages(channelID: general), as: ann, 4)
        bench.query(GetUser(), as: "cat", 5)
        bench.attach("cat", 6)
        #expect(bench.ear.news() == ["answer 3 1040", "answer 4", "answer 5 1040", "answer 6 1040"])
        bench.attach(ann, 7)
        bench.log.sync()
        #expect(bench.ear.news() == ["attached 7 ann #ann@0 general@2"])
        bench.log.empty()
        bench.change(hello, as: ann, 8)
        bench.log.sync()
        #expect(bench.ear.news() == ["general 3 message.new", "answer 8"], "it recovers by itself, without a gap")
        #expect(bench.log.reserved == 0)
    }

    @Test func `US2: a deactivated user is disconnected in order and then refused everywhere`() {
        let bench = begin()
        bench.change(hello, as: ann, 4)
        bench.engine.change(DeactivateUser(userID: bob), as: .server, answerTo: bench.address(5))
        bench.settle()
        bench.change(hello, as: ann, 6)
        bench.attach(bob, 7)
        bench.subscribe(bob, to: .channel(general), 8)
        bench.change(hello, as: bob, 9)
        bench.query(GetUser(), as: bob, 10)
        bench.log.sync()
        #expect(
            bench.ear.news() == [
                "general 3 message.new", "answer 4", "disconnected bob", "general 0 user.updated", "answer 5",
                "general 4 message.new", "answer 6",
                "answer 7 1008", "subscribed 8 1008", "answer 9 1008", "answer 10 1008",
            ])
        bench.engine.change(ActivateUser(userID: bob), as: .server, answerTo: bench.address(11))
        bench.attach(bob, 12)
        bench.log.sync()
        #expect(bench.ear.news() == ["general 0 user.updated", "answer 11", "attached 12 bob #bob@1 general@4"])
    }

    @Test func `L1: a transient event keeps its order relative to the others, and typing expires`() {
        let now = Mutex<Int64>(1_780_000_000_000)
        let bench = Bench(clock: { now.withLock(\.self) })
        bench.attach(ann)
        bench.attach(bob)
        bench.change(CreateChannel(id: general, userIDs: [bob]), as: ann)
        bench.log.sync()
        _ = bench.ear.news()
        let frames = bench.log.frames.count
        bench.change(hello, as: bob, 4)
        bench.engine.signal(StartTyping(channelID: general), as: .user(bob), answerTo: bench.address(5))
        bench.settle()
        #expect(bench.ear.news().isEmpty)
        bench.log.sync()
        #expect(bench.ear.news() == ["general 3 message.new", "answer 4", "general 0 typing.started", "answer 5"])
        now.withLock { $0 += 10_000 }
        bench.engine.expireNow()
        bench.settle()
        bench.log.sync()
        #expect(bench.ear.news() == ["general 0 typing.stopped"])
        #expect(bench.log.frames.count == frames + 1 && bench.log.reserved == 0)
        let bobs = bench.address(6)
        bench.engine.signal(StartTyping(channelID: "nowhere"), as: .user(bob), answerTo: bobs)
        bench.settle()
        #expect(bench.ear.news() == ["answer 6 1000"])
    }

    // MARK: Time and replay

    @Test func `time in the log never goes back, even if the clock does`() {
        let times = Mutex<[Int64]>([30, 30, 30, 30, 10, 10, 20, 40, 5])
        let bench = Bench(clock: { times.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } })
        bench.change(CreateChannel(id: general), as: ann)
        for _ in 0..<4 { bench.change(hello, as: ann) }
        let all = bench.log.frames.joined().map(\.at)
        #expect(all == all.sorted() && all.first == 30)
    }
}
