import ChatModel
import Gateway
import Testing
import WireProtocol

/// The states of a session, and a way to reach each.
enum Stage: CaseIterable {
    case awaitingConnect, authenticating, attaching, live, ended

    func session(validFor: Int64? = nil, limits: Session.Limits = Session.Limits()) -> Session {
        var session = Session(limits: .init(limits), now: 0)
        guard self != .awaitingConnect else { return session }
        if self == .ended {
            _ = session.close(.shutdown)
            return session
        }
        let request = ConnectRequest(token: "t")
        _ = session.receive(ClientEnvelope(id: 1, command: .connect(request)), now: 0)
        guard self != .authenticating else { return session }
        _ = session.verified(
            .success(Identity(user: ann, validFor: validFor)), .connect(command: 1, request), now: 0)
        guard self != .attaching else { return session }
        _ = session.attached(now: 0)
        return session
    }
}

/// Returns a description of an action in one or two words.
func word(_ action: Session.Action) -> String {
    switch action {
    case .verify(let token, .connect(let command, _)): "verify \(token ?? "nothing") for connect \(command)"
    case .verify(let token, .refresh(let command)): "verify \(token ?? "nothing") for refresh \(command)"
    case .attach(let command, let identity, _): "attach \(identity.user) \(command)"
    case .execute(let command, let method, let data): "execute \(command) \(method) \(text(data))"
    case .subscribe(let command, let room, _): "subscribe \(command) \(room)"
    case .unsubscribe(let command, let room): "unsubscribe \(command) \(room)"
    case .ping: "send {}"
    case .pong(let command): "pong \(command)"
    case .refuse(let command, let rejection):
        "send \(text(ServerEnvelope.error(id: command, rejection).encoded(as: .json)))"
    case .sendRefreshed(let command, let ttl): "refreshed \(command) \(ttl.map(String.init) ?? "for ever")"
    case .close(let code): "close \(code.rawValue)"
    }
}

@Suite struct SessionTests {
    static let commands: [(ClientEnvelope.Command, String)] = [
        (.rpc(method: "message.send", data: bytes("{}")[...]), "execute 7 message.send {}"),
        (.subscribe(SubscribeRequest(channel: "general")), "subscribe 7 general"),
        (.subscribe(SubscribeRequest(channel: "#ann")), "subscribe 7 #ann"),
        (
            .subscribe(SubscribeRequest(channel: "no room")),
            #"send {"id":7,"error":{"code":1000,"message":"not found: channel"}}"#
        ),
        (.unsubscribe(channel: "general"), "unsubscribe 7 general"),
        (.unsubscribe(channel: "a/b"), #"send {"id":7,"error":{"code":1000,"message":"not found: channel"}}"#),
        (.refresh(token: "new"), "verify new for refresh 7"), (.ping, "pong 7"),
        (.notOffered("publish"), #"send {"id":7,"error":{"code":108,"message":"not available: publish"}}"#),
    ]

    @Test(arguments: Stage.allCases)
    func `each command has a defined outcome in every state`(stage: Stage) {
        for (command, whenLive) in Self.commands {
            var session = stage.session()
            let words = session.receive(ClientEnvelope(id: 7, command: command), now: 1).map(word)
            switch stage {
            case .live:
                #expect(words == [whenLive])
                #expect(session.isLive == true)
            case .ended: #expect(words == [])
            case .awaitingConnect, .authenticating, .attaching:
                #expect(words == ["close 3501"], "\(stage) \(command)")
                #expect(!session.isReady && session.nextDeadline == nil)
            }
        }
    }

    @Test(
        arguments: [
            (.awaitingConnect, ["verify t for connect 7"], ["close 3501"], ["close 3501"]),
            (.authenticating, ["close 3501"], ["close 3501"], ["close 3501"]),
            (.attaching, ["close 3501"], ["close 3501"], ["close 3501"]), (.live, ["close 3501"], [], ["close 3501"]),
            (.ended, [], [], []),
        ] as [(Stage, [String], [String], [String])])
    func `connect, pong and invalid frames have a defined outcome in every state`(
        stage: Stage, connect: [String], pong: [String], garbage: [String]
    ) {
        var session = stage.session()
        let request = ConnectRequest(token: "t")
        #expect(session.receive(ClientEnvelope(id: 7, command: .connect(request)), now: 1).map(word) == connect)
        session = stage.session()
        #expect(session.receive(ClientEnvelope(id: 0, command: .pong), now: 1).map(word) == pong)
        session = stage.session()
        let words = session.receiveInvalidFrame("no JSON").map(word)
        #expect(words == garbage, "garbage after the end is not answered twice")
    }

    @Test(arguments: Stage.allCases)
    func `an external close takes effect once`(stage: Stage) {
        var session = stage.session()
        #expect(session.close(.slow).map(word) == (stage == .ended ? [] : ["close 3008"]))
        #expect(session.close(.slow).isEmpty)
        #expect(session.tick(now: .max / 2).isEmpty && session.nextDeadline == nil)
        #expect(session.attached(now: 1) == nil && session.user == nil && !session.isReady)
    }

    // MARK: Tokens

    @Test func `an accepted token is passed to the chat, and the chat's reply opens the session`() {
        var session = Stage.authenticating.session()
        let request = ConnectRequest(token: "t", subscribe: .none)
        let words = session.verified(
            .success(Identity(user: ann, validFor: 1)), .connect(command: 1, request), now: 5)
        #expect(words.map(word) == ["attach ann 1"])
        #expect(!session.isLive && !session.isReady)
        #expect(session.attached(now: 5) == Identity(user: ann, validFor: 1))
        #expect(session.isLive && session.isReady && session.user == ann && !session.followsChannels)
        #expect(session.attached(now: 5) == nil, "once")
        #expect(Stage.live.session().followsChannels == true)
    }

    @Test(
        arguments: [
            (.invalid, ["close 3500"]), (.missing, ["close 3500"]),
            (
                .unavailable,
                [
                    #"send {"id":1,"error":{"code":111,"message":"too many requests: authentication","#
                        + #""temporary":true}}"#
                ]
            ),
            (.expired, [#"send {"id":1,"error":{"code":109,"message":"token expired"}}"#]),
        ] as [(TokenRefusal, [String])])
    func `a refused token ends the session, an expired one lets the client retry`(
        refusal: TokenRefusal, words: [String]
    ) {
        let request = ConnectRequest(token: "t")
        var session = Stage.authenticating.session()
        #expect(session.verified(.failure(refusal), .connect(command: 1, request), now: 1).map(word) == words)
        let mayTryAgain = refusal == .expired || refusal == .unavailable
        #expect(session.isReady == mayTryAgain)
        #expect(session.nextDeadline == (mayTryAgain ? 10_000 : nil), "the time to connect runs on")
    }

    @Test func `a refresh extends the expiry, and requires a token of the same user`() {
        let refresh = Session.TokenPurpose.refresh(command: 2)
        var session = Stage.live.session(validFor: 5_000)
        #expect(session.nextDeadline == 5_750, "a moment more for the refresh to come")
        let words = session.verified(.success(Identity(user: ann, validFor: 60_001)), refresh, now: 1_000)
        #expect(words.map(word) == ["refreshed 2 60"])
        #expect(session.nextDeadline == 25_000)
        #expect(session.tick(now: 5_000).isEmpty)
        #expect(
            session.verified(.failure(.expired), refresh, now: 2_000).map(word)
                == [#"send {"id":2,"error":{"code":109,"message":"token expired"}}"#])
        #expect(session.isLive == true)
        let forEver = session.verified(.success(Identity(user: ann, validFor: nil)), refresh, now: 3_000)
        #expect(forEver.map(word) == ["refreshed 2 for ever"])
        var other = Stage.live.session()
        #expect(
            other.verified(.success(Identity(user: bob, validFor: nil)), refresh, now: 1).map(word) == ["close 3500"])
        for refusal in [TokenRefusal.invalid, .missing] {
            var other = Stage.live.session()
            #expect(other.verified(.failure(refusal), refresh, now: 1).map(word) == ["close 3500"])
        }
        var ended = Stage.ended.session()
        #expect(ended.verified(.success(Identity(user: ann, validFor: nil)), refresh, now: 1).isEmpty)
        #expect(
            ended.verified(
                .success(Identity(user: ann, validFor: nil)), .connect(command: 1, .init(token: nil)), now: 1
            )
            .isEmpty)
    }

    @Test(
        arguments: [(0, 1), (1, 1), (1_999, 1), (2_000, 2), (-1, 1), (Int64.max - 1_000, 9_223_372_036_854_774)]
            as [(Int64, UInt64)])
    func `a lifetime is reported in whole seconds, rounded down, at least one`(milliseconds: Int64, seconds: UInt64) {
        #expect(Identity(user: ann, validFor: milliseconds).ttlSeconds == seconds)
        #expect(Identity(user: ann, validFor: nil).ttlSeconds == nil)
    }

    // MARK: Time

    @Test(arguments: [Stage.awaitingConnect, .authenticating, .attaching])
    func `a session that has not connected within ten seconds is stale`(stage: Stage) {
        var session = stage.session()
        #expect(session.nextDeadline == 10_000)
        #expect(session.tick(now: 9_999).isEmpty)
        #expect(session.tick(now: 10_000).map(word) == ["close 3502"])
    }

    @Test func `a ping is sent after 25 seconds and must be answered within 10`() {
        var session = Stage.live.session()
        #expect(session.nextDeadline == 25_000 && session.pingSeconds == 25)
        #expect(session.tick(now: 24_999).isEmpty)
        #expect(session.tick(now: 25_000).map(word) == ["send {}"])
        #expect(session.nextDeadline == 35_000)
        var silent = Stage.live.session()
        #expect(silent.tick(now: 25_000).map(word) == ["send {}"])
        #expect(silent.tick(now: 34_999).isEmpty)
        #expect(silent.tick(now: 35_000).map(word) == ["close 3012"])
        #expect(session.receive(ClientEnvelope(id: 0, command: .pong), now: 34_999).isEmpty)
        #expect(session.nextDeadline == 50_000)
        #expect(session.tick(now: 35_000).isEmpty)
        #expect(session.tick(now: 60_000).map(word) == ["send {}"], "late, one ping is enough")
        #expect(session.tick(now: 60_001).isEmpty)
    }

    @Test func `neither unsolicited pongs nor a second ping extend the deadline`() {
        var limits = Session.Limits()
        limits.pingMilliseconds = 3
        limits.pongMilliseconds = 10
        var session = Stage.live.session(limits: limits)
        _ = session.receive(ClientEnvelope(id: 0, command: .pong), now: 1)
        for now in 3...12 as ClosedRange<Int64> {
            #expect(session.tick(now: now).map(word).allSatisfy { $0 == "send {}" })
        }
        #expect(session.tick(now: 13).map(word) == ["close 3012"])
    }

    @Test func `pong deadlines stop while reading is paused and restart when it resumes`() {
        var session = Stage.live.session()
        _ = session.tick(now: 25_000)
        #expect(session.tick(now: 35_000, isReading: false).isEmpty)
        #expect(session.nextDeadline == 45_000)
        session.resumeReading(now: 44_000)
        #expect(session.tick(now: 45_000).isEmpty)
        #expect(session.tick(now: 53_999).map(word) == ["send {}"])
        #expect(session.tick(now: 54_000).map(word) == ["close 3012"])
    }

    @Test func `the first pings of simultaneous connections are spread over half a period`() {
        let firsts = (0..<1_000 as Range<UInt64>).map { phase in
            var session = Session(limits: .init(Session.Limits()), now: 0, pingPhase: phase)
            let request = ConnectRequest(token: "t")
            _ = session.receive(ClientEnvelope(id: 1, command: .connect(request)), now: 0)
            let identity = Identity(user: ann, validFor: nil)
            _ = session.verified(.success(identity), .connect(command: 1, request), now: 0)
            _ = session.attached(now: 0)
            return session.nextDeadline ?? 0
        }
        #expect(firsts.allSatisfy { (12_500...25_000).contains($0) })
        // No second has more than a few times its share.
        #expect(Dictionary(grouping: firsts) { $0 / 1_000 }.values.allSatisfy { $0.count < 160 })
    }

    @Test func `an expiring token closes its open connection`() {
        var session = Stage.live.session(validFor: 700)
        #expect(session.tick(now: 1_449).isEmpty, "SDKs begin to refresh when the time they were told is over")
        #expect(session.tick(now: 1_450).map(word) == ["close 3005"])
        var attaching = Stage.attaching.session(validFor: 700)
        #expect(attaching.tick(now: 700).isEmpty && attaching.nextDeadline == 10_000)
        _ = attaching.attached(now: 1_500)
        #expect(attaching.nextDeadline == 1_450)
        #expect(attaching.tick(now: 1_500).map(word) == ["close 3005"])
    }

    // MARK: In flight

    @Test func `at the limit of commands in flight, nothing is read until one is answered`() {
        var limits = Session.Limits()
        limits.commandsInFlight = 3
        var session = Stage.live.session(limits: limits)
        let carried: [ClientEnvelope.Command] = [
            .rpc(method: "m", data: []), .subscribe(SubscribeRequest(channel: "general")), .refresh(token: "t"),
        ]
        for command in carried {
            #expect(session.isReady == true)
            _ = session.receive(ClientEnvelope(id: 1, command: command), now: 1)
        }
        #expect(session.isReady == false)
        #expect(session.answered(1).isEmpty)
        #expect(session.isReady == true)
        _ = session.receive(ClientEnvelope(id: 1, command: .rpc(method: "m", data: [])), now: 1)
        #expect(session.isReady == false)
        _ = session.verified(.failure(.expired), .refresh(command: 1), now: 1)
        #expect(session.isReady == true)
    }

    @Test func `an immediately answered command is not in flight`() {
        var limits = Session.Limits()
        limits.commandsInFlight = 1
        var session = Stage.live.session(limits: limits)
        for (command, answer) in Self.commands
        where answer.hasPrefix("send") || answer.hasPrefix("pong") || answer.hasPrefix("unsubscribe") {
            _ = session.receive(ClientEnvelope(id: 1, command: command), now: 1)
            #expect(session.isReady == true)
        }
    }

    /// Regression: an unsubscribe was executed immediately, before the earlier subscribe. The client then stayed in a
    /// room it had left, and a third subscribe got 105.
    @Test func `an unsubscribe waits for earlier subscribes to the same room`() {
        var limits = Session.Limits()
        limits.commandsInFlight = 6
        var session = Stage.live.session(limits: limits)
        func subscribe(_ id: UInt32, _ name: String) -> [String] {
            session.receive(
                ClientEnvelope(id: id, command: .subscribe(SubscribeRequest(channel: name))), now: 1
            ).map(word)
        }
        func unsubscribe(_ id: UInt32, _ name: String) -> [String] {
            session.receive(ClientEnvelope(id: id, command: .unsubscribe(channel: name)), now: 1).map(word)
        }
        #expect(subscribe(1, "general") == ["subscribe 1 general"])
        #expect(unsubscribe(2, "general").isEmpty)
        #expect(unsubscribe(3, "random") == ["unsubscribe 3 random"], "of another room")
        #expect(subscribe(4, "general") == ["subscribe 4 general"])
        #expect(unsubscribe(5, "general").isEmpty)
        #expect(unsubscribe(6, "general").isEmpty)
        #expect(session.isReady == true)
        #expect(subscribe(7, "random") == ["subscribe 7 random"])
        #expect(session.isReady == false, "those that wait count as in flight")
        #expect(session.answered(1).map(word) == ["unsubscribe 2 general"])
        #expect(session.answered(7).isEmpty)
        #expect(session.answered(4).map(word) == ["unsubscribe 5 general", "unsubscribe 6 general"])
        #expect(unsubscribe(8, "general") == ["unsubscribe 8 general"])
        for id in 9...13 as ClosedRange<UInt32> {
            _ = session.receive(ClientEnvelope(id: id, command: .rpc(method: "m", data: [])), now: 1)
            #expect(session.isReady == true)
        }
    }
}
