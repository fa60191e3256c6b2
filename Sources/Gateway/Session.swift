import ChatModel
import WireProtocol

/// The Centrifuge protocol's life of one connection, from its first command to its close.
///
/// Takes envelopes, results and time in, gives actions out. Times are milliseconds of any clock that never goes back.
package struct Session {
    package struct Limits: Sendable, Equatable {
        /// How long a connection may live without having connected.
        package var connectMilliseconds: Int64 = 10_000
        package var pingMilliseconds: Int64 = 25_000
        /// How long the answer to a ping may take.
        package var pongMilliseconds: Int64 = 10_000
        /// How long a connection outlives its token: SDKs begin to refresh when the time they were told is over.
        package var expiryGraceMilliseconds: Int64 = 750
        /// Commands that are being carried out; beyond it nothing is read from the connection.
        package var commandsInFlight = 64
        /// Commands, and what else a client may say unasked.
        package var commands = TokenBucket.Rate(perSecond: 200, burst: 1_000)
        /// Refusals one after the other for want of patience, after which nothing is read for a while: what the client sent
        /// before it could hear of them is no fault of its, and each of them costs an answer.
        package var refusalsInARow = 100
        /// How long that is.
        package var pauseMilliseconds: Int64 = 1_000
        /// Such pauses one after the other, each for another message, after which the connection ends: this client does not
        /// hear them.
        package var pausesInARow = 10
        /// How long after a pause the next one counts as the first.
        package var calmMilliseconds: Int64 = 10_000
        package init() {}
    }

    package enum Action: Sendable {
        case verify(token: String?, TokenPurpose)
        case attach(command: UInt32, Identity, ConnectRequest)
        case execute(command: UInt32, method: String, data: ArraySlice<UInt8>)
        case subscribe(command: UInt32, Room, SubscribeRequest)
        case unsubscribe(command: UInt32, Room)
        case ping
        /// The answer to a client's ping.
        case pong(command: UInt32)
        /// The answer to a command that is not carried out.
        case refuse(command: UInt32, Rejection)
        /// The reply to a refresh also takes the connection's name and the server's version.
        case sendRefreshed(command: UInt32, ttlSeconds: UInt64?)
        case close(DisconnectCode)
    }

    package enum TokenPurpose: Sendable, Equatable {
        case connect(command: UInt32, ConnectRequest)
        case refresh(command: UInt32)
    }

    private enum State: Equatable {
        case awaitingConnect
        case authenticating
        case attaching(Identity, ConnectRequest.Subscribe)
        case live(UserID)
        case ended
    }

    private var state = State.awaitingConnect
    private let limits: Limits
    /// Whether the session enters rooms by itself as its user joins channels.
    package private(set) var followsChannels = false
    private var inFlight = 0
    /// Subscribes that are being carried out, and the unsubscribes that wait behind one of the same room, in the order
    /// they came: one that overtook it would leave the client in a room it has left.
    private var roomCommands: [(command: UInt32, room: Room, isSubscribe: Bool)] = []
    private var connectDeadline: Int64?
    private var nextPing: Int64?
    private var pongDeadline: Int64?
    private var expiry: Int64?
    private var commands = TokenBucket()
    private var refusalsInARow = 0
    /// Pings and pongs that nobody asked for and nobody answered.
    private var unansweredInARow = 0
    private var pausedUntil: Int64?
    private var pausesInARow = 0
    private var lastPause: (end: Int64, message: UInt64)?
    /// Counts the messages that commands come in.
    private var message: UInt64 = 0
    /// Why the client was told that it sent something bad, in fixed words.
    package private(set) var fault: String?
    /// Commands that were not carried out for want of patience.
    package private(set) var refusedCount = 0
    /// How much earlier than the others the first ping comes.
    private let pingLead: Int64

    /// - Parameter pingPhase: Any number, of each connection another: the pings of those that came together are spread by it.
    package init(limits: Limits, now: Int64, pingPhase: UInt64 = 0) {
        self.limits = limits
        connectDeadline = now + limits.connectMilliseconds
        // At most half a period, and a client expects no ping at a certain time: only not much later than it was told.
        pingLead =
            Int64(pingPhase.multipliedReportingOverflow(by: 0x9E37_79B9_7F4A_7C15).partialValue >> 33)
            % max(1, limits.pingMilliseconds / 2)
    }

    /// Whether the next command may come; while not, the connection is not read.
    package var isReady: Bool {
        switch state {
        case .awaitingConnect: true
        case .live: pausedUntil == nil && inFlight < limits.commandsInFlight
        case .authenticating, .attaching, .ended: false
        }
    }

    /// What the client is told to expect: a ping at least this often.
    package var pingSeconds: UInt64 { UInt64(max(1, limits.pingMilliseconds / 1_000)) }

    package var isLive: Bool { user != nil }

    package var user: UserID? {
        guard case .live(let user) = state else { return nil }
        return user
    }

    // MARK: Inputs

    /// The commands that follow came in another message than those before.
    package mutating func beginMessage() { message &+= 1 }

    /// - Parameter waitOfUser: In how many milliseconds the user, whatever else is connected, may ask for something; nil for
    ///   now. Asked once for each command that the connection itself may give.
    package mutating func receive(
        _ envelope: ClientEnvelope, now: Int64, waitOfUser: (UserID) -> Int64? = { _ in nil }
    ) -> [Action] {
        switch (state, envelope.command) {
        case (.ended, _): return []
        case (.awaitingConnect, .connect(let request)):
            state = .authenticating
            return [.verify(token: request.token, .connect(command: envelope.id, request))]
        case (.live, .pong) where pongDeadline != nil:
            pongDeadline = nil
            return []
        case (.live, .pong): return receivedUnasked(now: now) ?? []
        case (.awaitingConnect, _): return end(.badRequest, "connect comes first")
        case (.live, .connect), (.authenticating, _), (.attaching, _):
            return end(.badRequest, "connect comes once, and is answered before anything else")
        case (.live(let user), let command):
            if let wait = commands.take(limits.commands, now: now) ?? waitOfUser(user) {
                return refuse(envelope.id, wait, now)
            }
            refusalsInARow = 0
            unansweredInARow = 0
            return carryOut(command, envelope.id)
        }
    }

    private mutating func refuse(_ command: UInt32, _ wait: Int64, _ now: Int64) -> [Action] {
        refusedCount += 1
        refusalsInARow += 1
        let refusal = Action.refuse(command: command, Rejection(.tooManyRequests, retryAfterMilliseconds: wait))
        return refusalsInARow < limits.refusalsInARow ? [refusal] : [refusal] + pause(now)
    }

    /// Reads nothing for a moment, so that refusals are few however much comes, and the client can hear them.
    private mutating func pause(_ now: Int64) -> [Action] {
        refusalsInARow = 0
        if let lastPause, now - lastPause.end > limits.calmMilliseconds { pausesInARow = 0 }
        // What came in one message was sent before any of it was answered.
        if lastPause?.message != message { pausesInARow += 1 }
        guard pausesInARow <= limits.pausesInARow else { return end(.tooManyErrors) }
        let end = now + limits.pauseMilliseconds
        lastPause = (end, message)
        pausedUntil = end
        return []
    }

    /// Something that is no command and no answer: a WebSocket ping, a second pong.
    ///
    /// - Returns: Nil when it may be answered.
    package mutating func receivedUnasked(now: Int64) -> [Action]? {
        guard state != .ended, commands.take(limits.commands, now: now) != nil else { return nil }
        unansweredInARow += 1
        return unansweredInARow <= limits.refusalsInARow ? [] : end(.tooManyErrors)
    }

    /// What the client sent meanwhile was left unread, its pong perhaps with it: only from now on can it be late.
    package mutating func hearsAgain(now: Int64) {
        pongDeadline = pongDeadline.map { max($0, now + limits.pongMilliseconds) }
    }

    /// A frame that is no envelope.
    ///
    /// - Parameter fault: What is wrong with it, in words of ours.
    package mutating func receiveGarbage(_ fault: String) -> [Action] {
        state == .ended ? [] : end(.badRequest, fault)
    }

    package mutating func verified(
        _ result: Result<Identity, TokenRefusal>, _ purpose: TokenPurpose, now: Int64
    ) -> [Action] {
        if state == .ended { return [] }
        switch (purpose, result) {
        case (.connect(let command, let request), .success(let identity)):
            state = .attaching(identity, request.subscribe)
            expiry = identity.validFor.map { now + $0 + limits.expiryGraceMilliseconds }
            return [.attach(command: command, identity, request)]
        case (.refresh(let command), .success(let identity)):
            inFlight -= 1
            guard identity.user == user else { return end(.invalidToken) }
            expiry = identity.validFor.map { now + $0 + limits.expiryGraceMilliseconds }
            return [.sendRefreshed(command: command, ttlSeconds: identity.ttlSeconds)]
        case (_, .failure(let refusal)):
            guard let rejection = refusal.passing else { return end(.invalidToken) }
            switch purpose {
            case .connect(let command, _):
                // This connection can still be the one on which it works.
                state = .awaitingConnect
                return [.refuse(command: command, rejection)]
            case .refresh(let command):
                inFlight -= 1
                return [.refuse(command: command, rejection)]
            }
        }
    }

    /// - Returns: The identity for the connect reply, or `nil` when the session has ended meanwhile.
    package mutating func attached(now: Int64) -> Identity? {
        guard case .attaching(let identity, let subscribe) = state else { return nil }
        state = .live(identity.user)
        followsChannels = subscribe == .joined
        connectDeadline = nil
        nextPing = now + limits.pingMilliseconds - pingLead
        return identity
    }

    /// The answer to a command has been written.
    ///
    /// - Returns: What waited for it.
    package mutating func answered(_ command: UInt32) -> [Action] {
        inFlight -= 1
        guard let answered = roomCommands.firstIndex(where: { $0.isSubscribe && $0.command == command }) else {
            return []
        }
        let room = roomCommands.remove(at: answered).room
        var actions: [Action] = []
        while let next = roomCommands.firstIndex(where: { $0.room == room }), !roomCommands[next].isSubscribe {
            inFlight -= 1
            actions.append(.unsubscribe(command: roomCommands.remove(at: next).command, room))
        }
        return actions
    }

    /// - Parameter isHeard: Whether the client is read at present.
    package mutating func tick(now: Int64, isHeard: Bool = true) -> [Action] {
        if state == .ended { return [] }
        if !isHeard { hearsAgain(now: now) }
        if let pausedUntil, now >= pausedUntil { self.pausedUntil = nil }
        if let connectDeadline, now >= connectDeadline { return end(.stale) }
        if let expiry, now >= expiry, isLive { return end(.expired) }
        if let pongDeadline, now >= pongDeadline { return end(.noPong) }
        guard let due = nextPing, now >= due else { return [] }
        nextPing = now + limits.pingMilliseconds
        pongDeadline = pongDeadline ?? now + limits.pongMilliseconds
        return [.ping]
    }

    /// When `tick` has something to do next.
    package var nextDeadline: Int64? {
        if state == .ended { return nil }
        return [connectDeadline, isLive ? expiry : nil, pongDeadline, nextPing, pausedUntil].compactMap(\.self).min()
    }

    package mutating func close(_ code: DisconnectCode) -> [Action] { state == .ended ? [] : end(code) }

    // MARK: Steps

    private mutating func end(_ code: DisconnectCode, _ fault: String? = nil) -> [Action] {
        state = .ended
        self.fault = fault
        return [.close(code)]
    }

    private mutating func carryOut(_ command: ClientEnvelope.Command, _ id: UInt32) -> [Action] {
        switch command {
        case .rpc(let method, let data):
            inFlight += 1
            return [.execute(command: id, method: method, data: data)]
        case .subscribe(let request):
            guard let room = Room(name: request.channel) else {
                return [.refuse(command: id, Rejection(.notFound, "channel"))]
            }
            if let field = request.notOffered {
                return [.refuse(command: id, Rejection(.notAvailable, field.rawValue))]
            }
            inFlight += 1
            roomCommands.append((id, room, true))
            return [.subscribe(command: id, room, request)]
        case .unsubscribe(let channel):
            guard let room = Room(name: channel) else {
                return [.refuse(command: id, Rejection(.notFound, "channel"))]
            }
            guard roomCommands.contains(where: { $0.room == room }) else { return [.unsubscribe(command: id, room)] }
            inFlight += 1
            roomCommands.append((id, room, false))
            return []
        case .refresh(let token):
            inFlight += 1
            return [.verify(token: token, .refresh(command: id))]
        case .ping: return [.pong(command: id)]
        case .notOffered(let name): return [.refuse(command: id, Rejection(.notAvailable, name))]
        case .connect, .pong: return end(.badRequest, "no command")
        }
    }
}

extension Identity {
    /// Whole seconds until the token expires, at least one and otherwise rounded down, so that a client that comes back
    /// then comes in time; `nil` when it never does.
    package var ttlSeconds: UInt64? { validFor.map { UInt64(max(1_000, $0)) / 1_000 } }
}
