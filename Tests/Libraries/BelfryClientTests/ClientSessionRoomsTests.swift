import ChatModel
import Testing
import WireProtocol

@testable import BelfryClient

struct ClientSessionRoomsTests {
    private let now = ClientSession.anyTime

    @Test func `publications arrive in order, once, and only from known rooms`() {
        var session = ClientSession.living([general: .init(at: 3)])
        var offsets: [UInt64] = []
        for offset in [4, 5, 5, 4, 6] as [UInt64] {
            offsets += session.receive(publication(general, offset), now: now).offsets
        }
        #expect(offsets == [4, 5, 6])
        #expect(session.receive(publication(random, 1), now: now).isEmpty)
    }

    @Test func `transient events are delivered without regard to offsets`() {
        var session = ClientSession.living([general: .init(at: 3)])
        #expect(session.receive(publication(general, 0), now: now).offsets == [0])
        #expect(session.receive(publication(general, 4), now: now).offsets == [4])
    }

    @Test func `a gap is reported and recovered from the last event received`() {
        var session = ClientSession.living([general: .init(at: 3)])
        let gap = session.receive(publication(general, 5), now: now)
        #expect(gap.roomNews == [.gap(room: general, expected: 4, received: 5)])
        #expect(gap.contains(.drop))
        #expect(session.receive(publication(general, 6), now: now).isEmpty)
        _ = session.reconnectDue(now: now)
        let connect = session.linkOpened(now: now).sent
        let position = RoomPosition(offset: 3, epoch: "e")
        #expect(connect.map(\.command) == [.connect(ConnectRequest(token: "t", positions: [general: position]))])
        let back = session.accept(
            connect[0].id, [general: .init(at: 6, wasRecovering: true, recovered: true, missed: [4, 5, 6])])
        #expect(back.offsets == [4, 5, 6])
        #expect(back.roomNews.first == .subscribed(room: general, recovered: true, wasRecovering: true))
    }

    @Test func `the highest possible offset does not crash the client`() {
        var session = ClientSession.living([general: .init(at: .max - 1)])
        #expect(session.receive(publication(general, .max), now: now).offsets == [.max])
        #expect(session.receive(publication(general, 1), now: now).isEmpty)
    }

    @Test(
        arguments: [
            // Recovers every missed event.
            (.init(at: 5, wasRecovering: true, recovered: true, missed: [4, 5]), true, [4, 5]),
            // Nothing was missed.
            (.init(at: 3, wasRecovering: true, recovered: true), true, []),
            // Some of the events are already known.
            (.init(at: 5, wasRecovering: true, recovered: true, missed: [2, 3, 4, 5]), true, [4, 5]),
            // The server cannot recover.
            (.init(at: 9, wasRecovering: true), false, []),
            // Another incarnation of the room.
            (.init(at: 4, epoch: "f", wasRecovering: true, recovered: true, missed: [4]), false, []),
            // The server claims an incomplete recovery.
            (.init(at: 5, wasRecovering: true, recovered: true, missed: [5]), false, []),
            (.init(at: 5, wasRecovering: true, recovered: true, missed: [4]), false, []),
            // The connect command omitted the room.
            (.init(at: 3), true, []),
            (.init(at: 4), false, []),
        ] as [(ServerMessage.Subscribed, Bool, [UInt64])])
    func `recovery returns exactly the missed events or none`(
        sub: ServerMessage.Subscribed, recovered: Bool, offsets: [UInt64]
    ) {
        var session = ClientSession.living([general: .init(at: 3)])
        let back = session.comeBack([general: sub])
        #expect(back.roomNews.first == .subscribed(room: general, recovered: recovered, wasRecovering: true))
        #expect(back.offsets == offsets)
        let next = sub.position.offset + 1
        #expect(session.receive(publication(general, next), now: now).offsets == [next])
    }

    @Test func `a lost room is reported and forgotten`() {
        var session = ClientSession.living([general: .init(at: 3), random: .init(at: 1)])
        let back = session.comeBack([general: .init(at: 3, wasRecovering: true, recovered: true)])
        #expect(back.roomNews.first == .unsubscribed(room: random))
        let after = session.receive(.push(channel: general, .unsubscribed(code: 2000, reason: "")), now: now)
        #expect(after == [.unsubscribed(room: general)])
        #expect(session.receive(publication(general, 4), now: now).isEmpty)
        #expect(session.rooms.rooms.isEmpty)
    }

    @Test func `a new room starts at its position`() {
        var session = ClientSession.living()
        let gained = session.receive(
            .push(channel: general, .subscribed(RoomPosition(offset: 7, epoch: "e"))), now: now)
        #expect(gained == [.subscribed(room: general, recovered: false, wasRecovering: false)])
        #expect(session.receive(publication(general, 8), now: now).offsets == [8])
    }

    @Test func `positions survive any number of failed connections`() {
        var session = ClientSession.living([general: .init(at: 3)])
        for _ in 0..<3 {
            _ = session.linkEnded(.failed("refused"))
            _ = session.reconnectDue(now: now)
        }
        let connect = session.linkOpened(now: now).sent
        let position = RoomPosition(offset: 3, epoch: "e")
        #expect(connect.map(\.command) == [.connect(ConnectRequest(token: "t", positions: [general: position]))])
    }

    @Test func `a connect command fits into one message for any number of rooms`() {
        var subs: [String: ServerMessage.Subscribed] = [:]
        for index in 0..<2_000 {
            let name = "room-\(index)-" + String(repeating: "x", count: 80)
            subs[name] = .init(at: UInt64.max - 1, epoch: String(repeating: "e", count: 32))
        }
        var session = ClientSession.living(subs)
        _ = session.linkEnded(.failed("reset"))
        _ = session.reconnectDue(now: now)
        let actions = session.linkOpened(now: now)
        guard case .send(let bytes) = actions.first else { return #expect(Bool(false), "nothing sent") }
        #expect(bytes.count > 32_768 && bytes.count < 65_536)
    }

    // MARK: Rooms the app names

    @Test func `a named room is subscribed immediately and after every disconnect, from its last position`() {
        var session = ClientSession.living()
        let call = CallID(rawValue: 1)
        let first = session.call(call, .subscribe(room: general), now: now).sent
        #expect(first.map(\.command) == [.subscribe(SubscribeRequest(channel: general))])
        let done = session.receive(.reply(id: first[0].id, .subscribed(.init(at: 3))), now: now)
        #expect(done.contains(.complete(call, .success([]))))
        _ = session.receive(publication(general, 4), now: now)

        let again = session.comeBack().sent
        let position = RoomPosition(offset: 4, epoch: "e")
        #expect(again.map(\.command) == [.subscribe(SubscribeRequest(channel: general, recover: position))])
        let back = session.receive(
            .reply(id: again[0].id, .subscribed(.init(at: 5, wasRecovering: true, recovered: true, missed: [5]))),
            now: now)
        #expect(back.offsets == [5])
    }

    @Test func `a subscription refused permanently is forgotten`() {
        var session = ClientSession.living()
        let call = CallID(rawValue: 1)
        let command = session.call(call, .subscribe(room: general), now: now).sent[0]
        let error = ServerMessage.Reply.error(code: 103, message: "permission denied", temporary: false)
        let refused = session.receive(.reply(id: command.id, error), now: now)
        let expected = BelfryError(code: 103, message: "permission denied", isTemporary: false)
        #expect(refused == [.complete(call, .failure(expected))])
        #expect(session.comeBack().sent.isEmpty)
    }

    @Test func `a subscription refused temporarily is retried later`() {
        var session = ClientSession.living()
        let command = session.call(CallID(rawValue: 1), .subscribe(room: general), now: now).sent[0]
        _ = session.receive(.reply(id: command.id, .subscribed(.init(at: 3))), now: now)
        let again = session.comeBack().sent[0]
        let error = ServerMessage.Reply.error(code: 100, message: "internal", temporary: true)
        #expect(session.receive(.reply(id: again.id, error), now: now).isEmpty)
        #expect(session.nextDeadline == now + 2_000)
        #expect(session.tick(now: now + 2_000).sent.count == 1)
    }

    @Test func `cancelling while a subscribe is in flight sends an unsubscribe`() {
        var session = ClientSession.living()
        let command = session.call(CallID(rawValue: 1), .subscribe(room: general), now: now).sent[0]
        _ = session.unsubscribe(general, CallID(rawValue: 2), now: now)
        let late = session.receive(.reply(id: command.id, .subscribed(.init(at: 3))), now: now)
        #expect(late.sent.map(\.command) == [.unsubscribe(channel: general)])
        #expect(late.roomNews.isEmpty)
        #expect(session.receive(publication(general, 4), now: now).isEmpty)
    }

    @Test func `a temporary unsubscribe by the server is followed by a new subscribe`() {
        var session = ClientSession.living()
        let command = session.call(CallID(rawValue: 1), .subscribe(room: general), now: now).sent[0]
        _ = session.receive(.reply(id: command.id, .subscribed(.init(at: 3))), now: now)
        let again = session.receive(.push(channel: general, .unsubscribed(code: 2500, reason: "")), now: now)
        let position = RoomPosition(offset: 3, epoch: "e")
        #expect(again.sent.map(\.command) == [.subscribe(SubscribeRequest(channel: general, recover: position))])
    }
}
