import ChatModel
import Testing
import WireProtocol

@testable import BelfryClient

/// A session that knows several nodes.
struct ClientSessionAddressesTests {
    private let now = ClientSession.anyTime

    private func session(_ urls: [String] = ["ws://a/", "ws://b/", "ws://c/"]) -> ClientSession {
        var settings = ClientSession.Settings()
        settings.urls = urls
        return ClientSession(settings: settings)
    }

    /// Returns where the session goes next: the address it opens.
    private func next(_ session: inout ClientSession) -> Int? {
        for case .open(let address) in session.reconnectDue(now: now) { return address }
        return nil
    }

    private func connected(_ session: inout ClientSession) throws -> ConnectedInfo {
        let id = try #require(session.linkOpened(now: now).sent.last?.id)
        guard case .connected(let info) = session.accept(id).states.first else { throw BelfryError.notConnected }
        return info
    }

    @Test func `dead nodes cost a short delay each, and only a full round costs the backoff`() {
        var session = session()
        #expect(session.dial().contains(.open(address: 0)))
        for round in 0..<3 {
            for address in [1, 2, 0] {
                let actions = session.linkEnded(.failed("refused"))
                #expect(actions.waits == (address == 0 ? [round] : []))
                #expect(actions.contains(.waitForNextAddress) == (address != 0))
                #expect(next(&session) == address)
            }
        }
    }

    @Test(arguments: [1001, 1006, 3001, 3004, 3005, 3008, 4000] as [UInt16])
    func `a close that allows a reconnect leads to the next node, with all positions`(code: UInt16) throws {
        var session = session()
        _ = session.arrive([general: .init(at: 3)])
        let actions = session.linkEnded(.closed(code: code, reason: "why"))
        #expect(actions.contains(.waitForNextAddress) && actions.waits.isEmpty)
        for case .fetchToken(let number) in session.reconnectDue(now: now) {
            #expect(session.tokenFetched(.token("t"), number: number, now: now) == [.open(address: 1)])
        }
        guard case .connect(let request) = session.linkOpened(now: now).sent.last?.command else {
            return #expect(Bool(false), "no connect command")
        }
        #expect(request.positions == [general: RoomPosition(offset: 3, epoch: "e")])
    }

    @Test func `a permanent error at one node is permanent`() {
        var closed = session()
        _ = closed.arrive()
        #expect(closed.linkEnded(.closed(code: 3500, reason: "invalid token")).waits.isEmpty)
        #expect(next(&closed) == nil)
        var refused = session()
        let id = refused.dial().sent[0].id
        let error = ServerMessage.Reply.error(code: 101, message: "unauthorized", temporary: false)
        #expect(!refused.receive(.reply(id: id, error), now: now).contains(.waitForNextAddress))
        #expect(next(&refused) == nil)
    }

    @Test func `a temporary refusal leads to the next node`() {
        var session = session()
        let id = session.dial().sent[0].id
        let error = ServerMessage.Reply.error(code: 111, message: "too many requests", temporary: true)
        #expect(session.receive(.reply(id: id, error), now: now).contains(.waitForNextAddress))
        #expect(next(&session) == 1)
    }

    @Test func `each node has the full connect timeout`() {
        var session = session()
        _ = session.connect(now: now)
        #expect(session.tokenFetched(.token("t"), number: 1, now: now) == [.open(address: 0)])
        #expect(session.tick(now: now + 10_000).contains(.waitForNextAddress))
        #expect(session.reconnectDue(now: now + 10_100) == [.open(address: 1)])
        #expect(session.tick(now: now + 20_099).isEmpty)
        #expect(session.tick(now: now + 20_100).contains(.waitForNextAddress))
    }

    @Test func `a failing token provider waits for the backoff and stays with the node`() {
        var session = session()
        _ = session.connect(now: now)
        #expect(session.tokenFetched(.failed("offline"), number: 1, now: now).waits == [0])
        #expect(session.reconnectDue(now: now) == [.fetchToken(number: 2)])
        #expect(session.tokenFetched(.token("t"), number: 2, now: now) == [.open(address: 0)])
    }

    @Test func `the connect reply says which node it is`() throws {
        var session = session()
        _ = session.dial()
        _ = session.linkEnded(.failed("refused"))
        _ = next(&session)
        #expect(try connected(&session).url == "ws://b/")
    }

    @Test func `a connection that received a ping starts a new round`() throws {
        var session = session(["ws://a/", "ws://b/"])
        _ = session.dial()
        #expect(session.linkEnded(.failed("refused")).contains(.waitForNextAddress))
        _ = next(&session)
        _ = try connected(&session)
        _ = session.receive(.ping, now: now)
        #expect(session.linkEnded(.failed("reset")).contains(.waitForNextAddress))
        #expect(next(&session) == 0)
    }

    @Test func `nodes that accept connections and soon close them do not keep the client from backing off`() throws {
        var session = session(["ws://a/", "ws://b/"])
        _ = session.connect(now: now)
        _ = session.tokenFetched(.token("t"), number: 1, now: now)
        var moves = 0
        var waits = 0
        for _ in 0..<6 {
            _ = try connected(&session)
            let actions = session.linkEnded(.closed(code: 3000, reason: ""))
            moves += actions.contains(.waitForNextAddress) ? 1 : 0
            waits += actions.waits.count
            _ = next(&session)
        }
        #expect(moves == 3 && waits == 3)
    }

    @Test func `connecting again after a disconnect begins with the node that worked`() throws {
        var session = session()
        _ = session.dial()
        _ = session.linkEnded(.failed("refused"))
        _ = next(&session)
        _ = try connected(&session)
        _ = session.disconnect()
        #expect(session.dial().contains(.open(address: 1)))
    }
}
