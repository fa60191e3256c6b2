import ChatModel
import Gateway
import Testing
import WireProtocol

/// Tests of sessions whose clients exceed their limits.
@Suite struct SessionPatienceTests {
    private static func hasty(burst: Int = 3, refusals: Int = 2) -> Session {
        var limits = Session.Limits()
        limits.commands = TokenBucket.Rate(perSecond: 10, burst: burst)
        limits.refusalsInARow = refusals
        return Stage.live.session(limits: limits)
    }

    private static let call = ClientEnvelope(id: 7, command: .rpc(method: "m", data: bytes("{}")[...]))

    private static func refusal(_ wait: Int) -> String {
        #"send {"id":7,"error":{"code":111,"message":"too many requests","temporary":true,"retry_after_ms":\#(wait)}}"#
    }

    @Test func `commands beyond the burst limit are refused with a retry delay`() {
        var session = Self.hasty()
        for _ in 0..<3 { #expect(session.receive(Self.call, now: 0).map(word) == ["execute 7 m {}"]) }
        #expect(session.receive(Self.call, now: 0).map(word) == [Self.refusal(100)])
        #expect(session.receive(Self.call, now: 60).map(word) == [Self.refusal(40)])
        #expect(session.receive(Self.call, now: 100).map(word) == ["execute 7 m {}"])
        #expect(session.refusedCount == 2)
    }

    /// Sends as many commands as the session reads, one message per pause, and never slows down.
    private static func flood(_ session: inout Session, pauses: Int, inOneMessage: Bool = false) -> [String] {
        var words: [String] = []
        var now: Int64 = 0
        for _ in 0..<pauses {
            if !inOneMessage { session.beginMessage() }
            while session.isReady, words.last != "close 3509" {
                words += session.receive(call, now: now).map(word)
                _ = session.answered(7)
            }
            now += 1_000
            words += session.tick(now: now).map(word)
        }
        return words
    }

    @Test
    func `after a refusal, each further excess command pauses reading for a second, and the last closes with 3509`() {
        var deaf = Self.hasty()
        let words = Self.flood(&deaf, pauses: 100)
        #expect(words.last == "close 3509")
        #expect(words.count { $0 == "close 3509" } == 1)
        let refusals = words.count { $0.contains(#""code":111"#) }
        #expect(refusals == 22, "two before each of ten pauses, and two before the end")
        var patient = Self.hasty()
        for now in stride(from: 0, to: 100_000, by: 100) as StrideTo<Int64> {
            #expect(patient.receive(Self.call, now: now).map(word) == ["execute 7 m {}"])
            _ = patient.answered(7)
        }
    }

    @Test func `the larger a refused message, the sooner reading pauses, because it was read in vain`() {
        var session = Self.hasty(burst: 1, refusals: 20)
        #expect(session.retryAfter(now: 0) == nil && session.retryAfter(now: 0) == nil, "asking takes nothing")
        _ = session.receive(Self.call, now: 0)
        #expect(session.retryAfter(now: 0) == 100)
        var refusals = 0
        while session.isReady, refusals < 100 {
            session.beginMessage()
            _ = session.refuseUnread(7, retryAfter: 100, bytes: 65_536, now: 0)
            refusals += 1
        }
        #expect(refusals == 2)
        #expect(session.nextDeadline == 1_000 && session.refusedCount == 2)
    }

    @Test
    func `commands in one message never close the connection, because no refusal can arrive before the last is sent`() {
        var session = Self.hasty()
        let words = Self.flood(&session, pauses: 20, inOneMessage: true)
        #expect(!words.contains("close 3509") && session.isLive)
        #expect(words.count { $0 == "execute 7 m {}" } == 3 + 19 * 3, "those after each pause find room")
    }

    @Test func `while reading is paused, a session reports when it resumes`() {
        var session = Self.hasty()
        for _ in 0..<5 { _ = session.receive(Self.call, now: 5) }
        #expect(!session.isReady && session.nextDeadline == 1_005)
        #expect(session.tick(now: 1_004).isEmpty && !session.isReady)
        #expect(session.tick(now: 1_005).isEmpty && session.isReady)
    }

    @Test func `widely spaced pauses do not count as a flood`() {
        var session = Self.hasty()
        var now: Int64 = 0
        for _ in 0..<50 {
            session.beginMessage()
            for _ in 0..<5 where session.isReady {
                #expect(session.receive(Self.call, now: now).map(word) != ["close 3509"])
                _ = session.answered(7)
            }
            now += 12_000
            _ = session.tick(now: now)
            _ = session.receive(ClientEnvelope(id: 0, command: .pong), now: now)
        }
        #expect(session.isLive == true)
    }

    @Test func `a command refused because of the user's other connections counts like any other refusal`() {
        var session = Self.hasty(burst: 100)
        let told = (0..<2).flatMap { _ in
            session.receive(Self.call, now: 0) { user in
                #expect(user == ann)
                return 5
            }.map(word)
        }
        #expect(told == [Self.refusal(5), Self.refusal(5)])
        #expect(session.refusedCount == 2 && !session.isReady)
    }

    @Test func `a session that ends because of a bad request keeps the reason`() {
        var garbage = Stage.live.session()
        #expect(garbage.receiveInvalidFrame("invalid JSON at byte 0").map(word) == ["close 3501"])
        #expect(garbage.fault == "invalid JSON at byte 0")
        var early = Stage.awaitingConnect.session()
        _ = early.receive(Self.call, now: 0)
        #expect(early.fault == "the first command must be connect")
        var twice = Stage.live.session()
        _ = twice.receive(ClientEnvelope(id: 7, command: .connect(ConnectRequest(token: "t"))), now: 0)
        #expect(twice.fault?.contains("connect must be sent once") == true)
        var slow = Stage.live.session()
        _ = slow.close(.slow)
        #expect(slow.fault == nil)
    }

    @Test func `a command refused by the connection is not charged to the user`() {
        var session = Self.hasty(burst: 1)
        _ = session.receive(Self.call, now: 0)
        var asked = 0
        _ = session.receive(Self.call, now: 0) { _ in
            asked += 1
            return nil
        }
        #expect(asked == 0)
    }

    @Test func `unsolicited pings and pongs are subject to the command rate limit`() {
        var session = Self.hasty()
        for _ in 0..<3 { #expect(session.receiveUnsolicited(now: 0) == nil) }
        #expect(session.receiveUnsolicited(now: 0)?.isEmpty == true)
        #expect(session.receive(ClientEnvelope(id: 0, command: .pong), now: 0).isEmpty)
        #expect(session.receive(ClientEnvelope(id: 0, command: .pong), now: 0).map(word) == ["close 3509"])
    }
}
