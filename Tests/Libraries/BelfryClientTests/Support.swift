import ChatModel

@testable import BelfryClient
@testable import WireProtocol

typealias Action = ClientSession.Action

let general = "general"
let random = "random"

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension [Action] {
    /// The sent commands, in order.
    var sent: [ClientEnvelope] {
        flatMap { action -> [ClientEnvelope] in
            guard case .send(let bytes) = action else { return [] }
            return (try? [ClientEnvelope](CommandFrame(bytes))) ?? []
        }
    }

    var states: [ConnectionState] {
        compactMap { action in
            guard case .changed(let state) = action else { return nil }
            return state
        }
    }

    /// The offsets delivered to the app, in order.
    var offsets: [UInt64] {
        compactMap { action in
            guard case .publication(_, let offset, _) = action else { return nil }
            return offset
        }
    }

    /// The attempt numbers of the back-offs started.
    var waits: [Int] {
        compactMap { action in
            guard case .waitToReconnect(let attempt) = action else { return nil }
            return attempt
        }
    }

    var results: [Result<[UInt8], BelfryError>] {
        compactMap { action in
            guard case .complete(_, let result) = action else { return nil }
            return result
        }
    }

    /// The actions that inform the app about its rooms.
    var roomNews: [Action] {
        filter { action in
            switch action {
            case .publication, .subscribed, .unsubscribed, .gap: true
            case .fetchToken, .open, .drop, .send, .waitToReconnect, .waitForNextAddress, .complete, .changed: false
            }
        }
    }
}

extension ServerMessage.Publication {
    init(_ offset: UInt64) { self.init(offset: offset, data: bytes(#"{"n":\#(offset)}"#)) }
}

extension ServerMessage.Subscribed {
    init(
        at offset: UInt64, epoch: String = "e", wasRecovering: Bool = false, recovered: Bool = false,
        missed: [UInt64] = []
    ) {
        self.init(
            position: RoomPosition(offset: offset, epoch: epoch), wasRecovering: wasRecovering,
            recovered: recovered, publications: missed.map { ServerMessage.Publication($0) })
    }
}

func publication(_ room: String, _ offset: UInt64) -> ServerMessage {
    .push(channel: room, .publication(ServerMessage.Publication(offset)))
}

extension ClientSession {
    static let anyTime: Int64 = 1_000_000

    init() { self.init(settings: Settings()) }

    /// Advances from any state to the connect command on the wire.
    mutating func dial(now: Int64 = anyTime, token: String = "t") -> [Action] {
        var actions = connect(now: now)
        for case .fetchToken(let number) in actions {
            actions += tokenFetched(.token(token), number: number, now: now)
        }
        return actions + linkOpened(now: now)
    }

    /// Advances from any state to an open connection.
    mutating func arrive(
        _ subs: [String: ServerMessage.Subscribed] = [:], ttl: UInt64? = nil, ping: UInt64 = 25,
        now: Int64 = anyTime
    ) -> [Action] {
        let actions = dial(now: now)
        guard let id = actions.sent.last?.id else { return actions }
        return actions + accept(id, subs, ttl: ttl, ping: ping, now: now)
    }

    mutating func accept(
        _ id: UInt32, _ subs: [String: ServerMessage.Subscribed] = [:], ttl: UInt64? = nil, ping: UInt64 = 25,
        now: Int64 = anyTime
    ) -> [Action] {
        let result = ServerMessage.Connected(
            client: "c1", ttl: ttl, pingSeconds: ping, wantsPong: true, data: bytes("{}"), subs: subs)
        return receive(.reply(id: id, .connected(result)), now: now)
    }

    static func living(
        _ subs: [String: ServerMessage.Subscribed] = [:], ttl: UInt64? = nil, ping: UInt64 = 25
    ) -> ClientSession {
        var session = ClientSession()
        _ = session.arrive(subs, ttl: ttl, ping: ping)
        return session
    }

    /// Breaks the connection and accepts the next one.
    mutating func comeBack(_ subs: [String: ServerMessage.Subscribed] = [:]) -> [Action] {
        _ = linkEnded(.failed("reset"))
        _ = reconnectDue(now: Self.anyTime)
        guard let id = linkOpened(now: Self.anyTime).sent.last?.id else { return [] }
        return accept(id, subs)
    }
}
