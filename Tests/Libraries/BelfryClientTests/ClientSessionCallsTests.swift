import Testing
import WireProtocol

@testable import BelfryClient

struct ClientSessionCallsTests {
    private let now = ClientSession.anyTime
    private let call = CallID(rawValue: 7)
    private let hello = WaitingCalls.Operation.rpc(method: "message.send", data: bytes(#"{"text":"hello"}"#))

    @Test func `a call is sent immediately and answered`() {
        var session = ClientSession.living()
        let sent = session.call(call, hello, now: now).sent
        #expect(sent.map(\.command) == [.rpc(method: "message.send", data: bytes(#"{"text":"hello"}"#)[...])])
        let answer = session.receive(.reply(id: sent[0].id, .rpc(data: bytes("{}"))), now: now)
        #expect(answer == [.complete(call, .success(bytes("{}")))])
        #expect(session.receive(.reply(id: sent[0].id, .rpc(data: bytes("{}"))), now: now).isEmpty)
    }

    @Test func `an error carries the server's code`() {
        var session = ClientSession.living()
        let sent = session.call(call, hello, now: now).sent
        let error = ServerMessage.Reply.error(code: 1040, message: "storage unavailable", temporary: true)
        let expected = BelfryError(code: 1040, message: "storage unavailable", isTemporary: true)
        let refused = session.receive(.reply(id: sent[0].id, error), now: now)
        #expect(refused == [.complete(call, .failure(expected))])
    }

    @Test func `calls wait for the connection and are sent in order`() {
        var session = ClientSession()
        let connect = session.dial().sent[0]
        for number in 1...3 {
            let operation = WaitingCalls.Operation.rpc(method: "m\(number)", data: [])
            #expect(session.call(CallID(rawValue: UInt64(number)), operation, now: now).isEmpty)
        }
        #expect(session.call(call, .connection, now: now).isEmpty)
        let actions = session.accept(connect.id)
        #expect(actions.sent.map(\.command) == ["m1", "m2", "m3"].map { .rpc(method: $0, data: []) })
        #expect(actions.contains(.complete(call, .success([]))))
    }

    @Test func `a call that gets no connection in time fails as not sent`() {
        var session = ClientSession()
        _ = session.connect(now: now)
        _ = session.call(call, hello, now: now)
        #expect(session.nextDeadline == now + 5_000)
        #expect(session.tick(now: now + 4_999).isEmpty)
        #expect(session.tick(now: now + 5_000) == [.complete(call, .failure(.notConnected))])
        #expect(BelfryError.notConnected.isTemporary)
        #expect(!BelfryError.notConnected.isOutcomeUnknown)
    }

    @Test func `a call without a response fails with an unknown outcome`() throws {
        var session = ClientSession.living()
        _ = session.call(call, hello, now: now)
        let late = session.tick(now: now + 5_000).results
        guard case .failure(let error) = try #require(late.first) else { return #expect(Bool(false)) }
        #expect(error.isOutcomeUnknown && error.isTemporary)
    }

    @Test func `when the connection breaks, sent calls have an unknown outcome and queued ones wait`() throws {
        var session = ClientSession.living()
        _ = session.call(call, hello, now: now)
        let broken = session.linkEnded(.failed("reset")).results
        guard case .failure(let error) = try #require(broken.first) else { return #expect(Bool(false)) }
        #expect(error.isOutcomeUnknown)
        #expect(session.call(CallID(rawValue: 8), hello, now: now).isEmpty)
        _ = session.reconnectDue(now: now)
        let connect = session.linkOpened(now: now).sent[0]
        #expect(session.accept(connect.id).sent.count == 1)
    }

    @Test func `disconnecting fails queued and later calls`() {
        var session = ClientSession()
        _ = session.connect(now: now)
        _ = session.call(call, hello, now: now)
        #expect(session.disconnect().contains(.complete(call, .failure(.disconnected))))
        #expect(session.call(call, hello, now: now) == [.complete(call, .failure(.disconnected))])
    }

    @Test func `a queued call that is cancelled is not sent`() {
        var session = ClientSession()
        let connect = session.dial().sent[0]
        _ = session.call(call, hello, now: now)
        _ = session.cancel(call)
        #expect(session.accept(connect.id).sent.isEmpty)
    }

    @Test func `a command larger than the server's limit is not sent`() {
        var session = ClientSession.living()
        let method = "message.send"
        let room = session.settings.commandBytes - method.utf8.count * 6 - 64
        let fits = WaitingCalls.Operation.rpc(method: method, data: Array(repeating: 0x31, count: room))
        let tooLong = WaitingCalls.Operation.rpc(method: method, data: Array(repeating: 0x31, count: room + 1))
        #expect(session.call(call, tooLong, now: now) == [.complete(call, .failure(.tooLong(limit: 65_536)))])
        guard case .send(let envelope) = session.call(call, fits, now: now).first else {
            return #expect(Bool(false), "nothing sent")
        }
        #expect(envelope.count <= 65_536)
    }

    @Test func `pending calls are bounded in number and bytes`() {
        var session = ClientSession.living()
        for number in 0..<4_096 {
            let actions = session.call(CallID(rawValue: UInt64(number)), .rpc(method: "m", data: []), now: now)
            #expect(actions.sent.count == 1)
        }
        #expect(session.call(call, hello, now: now) == [.complete(call, .failure(.tooManyCalls))])

        var heavy = ClientSession.living()
        let operation = WaitingCalls.Operation.rpc(method: "m", data: Array(repeating: 0x31, count: 60_000))
        var taken = 0
        while heavy.call(CallID(rawValue: UInt64(taken)), operation, now: now).sent.count == 1 { taken += 1 }
        #expect(taken == 69)
        // The connect command was the first.
        _ = heavy.receive(.reply(id: 2, .rpc(data: [])), now: now)
        #expect(heavy.call(call, operation, now: now).sent.count == 1)
    }

    @Test func `a response of the wrong kind ends the connection`() {
        var session = ClientSession.living()
        let sent = session.call(call, hello, now: now).sent
        #expect(session.receive(.reply(id: sent[0].id, .unsubscribed), now: now).waits == [0])
    }
}
