import Testing
import WireProtocol

@testable import BelfryClient

struct ClientSessionTests {
    private let now = ClientSession.anyTime

    // MARK: The way there

    @Test func `connecting fetches a token, opens the connection and identifies the client`() {
        var session = ClientSession()
        #expect(session.connect(now: now) == [.changed(.connecting(after: nil)), .fetchToken(number: 1)])
        #expect(session.tokenFetched(.token("t"), number: 1, now: now) == [.open(address: 0)])
        let connect = session.linkOpened(now: now).sent
        #expect(connect.map(\.command) == [.connect(ConnectRequest(token: "t"))])
        let states = session.accept(connect[0].id, [general: .init(at: 3)]).states
        guard case .connected(let info) = states.first else { return #expect(Bool(false), "not connected") }
        #expect(info.client == "c1")
        #expect(info.rooms == [general])
    }

    @Test func `connecting twice has the same effect as connecting once`() {
        var session = ClientSession.living()
        #expect(session.connect(now: now).isEmpty)
    }

    @Test func `a token that arrives too late is not used`() {
        var session = ClientSession()
        _ = session.connect(now: now)
        _ = session.disconnect()
        #expect(session.tokenFetched(.token("t"), number: 1, now: now).isEmpty)
        #expect(session.connect(now: now).contains(.fetchToken(number: 3)))
        #expect(session.tokenFetched(.token("t"), number: 1, now: now).isEmpty)
    }

    @Test func `a failing token provider is retried, unless the user has signed out`() {
        var session = ClientSession()
        _ = session.connect(now: now)
        #expect(session.tokenFetched(.failed("offline"), number: 1, now: now).waits == [0])
        #expect(session.reconnectDue(now: now) == [.fetchToken(number: 2)])
        #expect(session.tokenFetched(.signedOut, number: 2, now: now) == [.changed(.disconnected(.signedOut))])
    }

    @Test func `an expired token at connect is replaced`() {
        var session = ClientSession()
        let id = session.dial().sent[0].id
        let actions = session.receive(
            .reply(id: id, .error(code: 109, message: "token expired", temporary: false)), now: now)
        #expect(actions.contains(.drop))
        #expect(actions.waits == [0])
        #expect(session.reconnectDue(now: now) == [.fetchToken(number: 2)])
    }

    @Test(arguments: [(100, true, true), (111, true, true), (101, false, false), (103, false, false)])
    func `an error at connect is final unless it is temporary`(code: Int, temporary: Bool, comesBack: Bool) {
        var session = ClientSession()
        let id = session.dial().sent[0].id
        let actions = session.receive(
            .reply(id: id, .error(code: code, message: "no", temporary: temporary)), now: now)
        #expect(actions.waits.isEmpty != comesBack)
        #expect(session.reconnectDue(now: now).isEmpty != comesBack)
    }

    // MARK: Closes

    @Test(
        arguments: [
            (1000, true), (1001, true), (1006, true), (1012, true), (3000, true), (3001, true), (3005, true),
            (3008, true), (3499, true), (3500, false), (3501, false), (3503, false), (3999, false), (4000, true),
            (4499, true), (4500, false), (4999, false),
        ] as [(UInt16, Bool)])
    func `the close code determines whether to reconnect`(code: UInt16, comesBack: Bool) {
        var session = ClientSession.living()
        let actions = session.linkEnded(.closed(code: code, reason: "why"))
        let reason = DisconnectReason.closed(code: Int(code), reason: "why")
        #expect(actions.states == [comesBack ? .connecting(after: reason) : .disconnected(reason)])
        #expect(actions.waits == (comesBack ? [0] : []))
        var pushed = ClientSession.living()
        let others = pushed.receive(.push(channel: "", .disconnected(code: UInt64(code), reason: "why")), now: now)
        #expect(others.states == actions.states)
    }

    @Test func `after a close without a code the client reconnects`() {
        var session = ClientSession.living()
        #expect(session.linkEnded(.closed(code: nil, reason: "")).waits == [0])
    }

    @Test func `only a close for an expired token makes the client fetch a new one`() {
        var expired = ClientSession.living()
        _ = expired.linkEnded(.closed(code: 3005, reason: ""))
        #expect(expired.reconnectDue(now: now) == [.fetchToken(number: 2)])
        var shutdown = ClientSession.living()
        _ = shutdown.linkEnded(.closed(code: 3001, reason: ""))
        #expect(shutdown.reconnectDue(now: now) == [.open(address: 0)])
    }

    @Test func `consecutive failures are counted, and a connection resets the count`() {
        var session = ClientSession()
        _ = session.dial()
        var waits: [Int] = []
        for _ in 0..<4 {
            waits += session.linkEnded(.failed("refused")).waits
            _ = session.reconnectDue(now: now)
        }
        #expect(waits == [0, 1, 2, 3])
        let id = session.linkOpened(now: now).sent[0].id
        _ = session.accept(id)
        #expect(session.linkEnded(.failed("reset")).waits == [0])
    }

    @Test func `an undecodable frame ends the connection`() {
        var session = ClientSession.living()
        let actions = session.receiveGarbage()
        #expect(actions.contains(.drop))
        #expect(actions.waits == [0])
    }

    @Test func `disconnecting ends everything, and nothing happens afterwards`() {
        var session = ClientSession.living([general: .init(at: 0)])
        #expect(session.disconnect() == [.drop, .changed(.disconnected(.client))])
        #expect(session.receive(publication(general, 1), now: now).isEmpty)
        #expect(session.linkEnded(.failed("")).isEmpty)
        #expect(session.reconnectDue(now: now).isEmpty)
        #expect(session.nextDeadline == nil)
        #expect(session.disconnect().isEmpty)
    }

    // MARK: Time

    @Test func `a connection attempt times out`() {
        var session = ClientSession()
        _ = session.connect(now: now)
        _ = session.tokenFetched(.token("t"), number: 1, now: now)
        #expect(session.nextDeadline == now + 10_000)
        #expect(session.tick(now: now + 9_999).isEmpty)
        let actions = session.tick(now: now + 10_000)
        #expect(actions.contains(.drop))
        #expect(actions.waits == [0])
    }

    @Test func `a connect command without a response times out`() {
        var session = ClientSession()
        _ = session.dial()
        #expect(session.tick(now: now + 4_999).isEmpty)
        #expect(session.tick(now: now + 5_000).waits == [0])
    }

    @Test func `a ping is answered, and a missing ping ends the connection`() {
        var session = ClientSession.living()
        #expect(session.nextDeadline == now + 35_000)
        #expect(session.receive(.ping, now: now + 34_999).sent.map(\.command) == [.pong])
        #expect(session.tick(now: now + 35_000).isEmpty)
        let actions = session.tick(now: now + 69_999)
        #expect(actions.states == [.connecting(after: .noPing)])
        #expect(actions.contains(.drop))
    }

    @Test func `no ping is expected from a server that does not send them`() {
        let session = ClientSession.living(ping: 0)
        #expect(session.nextDeadline == nil)
    }

    @Test func `while reading is paused, no ping is expected`() {
        var session = ClientSession.living()
        session.readingChanged(isPaused: true, now: now)
        #expect(session.nextDeadline == nil)
        #expect(session.tick(now: now + 100_000).isEmpty)
        session.readingChanged(isPaused: false, now: now + 100_000)
        #expect(session.nextDeadline == now + 135_000)
    }

    // MARK: Tokens on the living connection

    @Test(
        arguments: [
            (1, 500), (2, 500), (3, 1_500), (9, 6_000), (60, 45_000), (3_600, 3_585_000),
            (UInt64.max, 3_155_759_985_000),
        ] as [(UInt64, Int64)])
    func `a token is renewed before it expires`(ttl: UInt64, after: Int64) {
        #expect(ClientSession.refreshDelay(ttlSeconds: ttl) == after)
    }

    @Test func `the new token is sent over the existing connection`() {
        var session = ClientSession.living(ttl: 60)
        #expect(session.nextDeadline == now + 35_000)
        _ = session.receive(.ping, now: now + 30_000)
        let due = now + 45_000
        #expect(session.tick(now: due) == [.fetchToken(number: 2)])
        let refresh = session.tokenFetched(.token("t2"), number: 2, now: due).sent
        #expect(refresh.map(\.command) == [.refresh(token: "t2")])
        #expect(session.receive(.reply(id: refresh[0].id, .refreshed(ttl: 60)), now: due).isEmpty)
        _ = session.receive(.ping, now: due + 40_000)
        #expect(session.nextDeadline == due + 45_000)
    }

    @Test func `a failed refresh is retried while the connection is open`() {
        var session = ClientSession.living(ttl: 60)
        _ = session.receive(.ping, now: now + 40_000)
        _ = session.tick(now: now + 45_000)
        #expect(session.tokenFetched(.failed("offline"), number: 2, now: now + 45_000).isEmpty)
        #expect(session.tick(now: now + 47_000) == [.fetchToken(number: 3)])
        let refresh = session.tokenFetched(.token("t2"), number: 3, now: now + 47_000).sent
        let error = ServerMessage.Reply.error(code: 109, message: "token expired", temporary: false)
        #expect(session.receive(.reply(id: refresh[0].id, error), now: now + 48_000).isEmpty)
        #expect(session.tick(now: now + 50_000) == [.fetchToken(number: 4)])
    }
}
