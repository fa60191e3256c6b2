import ChatModel
import WireProtocol

/// The state machine of one connection in the Centrifuge protocol, from its first command to its close.
///
/// Its inputs are envelopes, results and the time; its outputs are actions. Times are milliseconds of any monotonic
/// clock.
package struct Session: ~Copyable {
    package struct Limits: Sendable, Equatable {
        /// Time limit for a connection to send `connect` and be accepted.
        package var connectMilliseconds: Int64 = 10_000
        package var pingMilliseconds: Int64 = 25_000
        /// Time limit for the reply to a ping.
        package var pongMilliseconds: Int64 = 10_000
        /// How long a connection outlives its token, because SDKs start to refresh only when the time they were given
        /// is over.
        package var expiryGraceMilliseconds: Int64 = 750
        /// Commands in progress at which the server stops reading from the connection.
        package var commandsInFlight = 64
        /// Rate of commands and of unsolicited messages such as pings.
        package var commands = TokenBucket.Rate(perSecond: 200, burst: 1_000)
        /// Consecutive rate-limit refusals after which reading pauses. A client is not to blame for commands it sent
        /// before it could see the refusals, but each refusal costs an answer.
        package var refusalsInARow = 100
        /// How long reading pauses.
        package var pauseMilliseconds: Int64 = 1_000
        /// Consecutive pauses, each for a different message, after which the connection closes, because the client
        /// ignores refusals.
        package var pausesInARow = 10
        /// How long after a pause the count of consecutive pauses restarts.
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
        /// The reply to a client's ping.
        case pong(command: UInt32)
        /// The reply to a command that is refused.
        case refuse(command: UInt32, Rejection)
        /// The reply to a refresh, which also has the connection's name and the server's version.
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
    /// Whether the session enters rooms automatically as its user joins channels.
    package private(set) var followsChannels = false
    private var inFlight = 0
    /// Subscribes in progress, and the unsubscribes waiting for one of the same room, in order of arrival. An
    /// unsubscribe that overtook its subscribe would leave the client in a room it has left.
    private var roomCommands: [(command: UInt32, room: Room, isSubscribe: Bool)] = []
    private var connectDeadline: Int64?
    private var nextPing: Int64?
    private var pongDeadline: Int64?
    private var expiry: Int64?
    private var commands = TokenBucket()
    private var refusalsInARow = 0
    /// Consecutive unsolicited pings and pongs over the rate, which get no answer.
    private var unansweredInARow = 0
    private var pausedUntil: Int64?
    private var pausesInARow = 0
    private var lastPause: (end: Int64, message: UInt64)?
    /// Counts the messages that contain commands.
    private var message: UInt64 = 0
    /// What was wrong with the client's input, in fixed words; part of the close reason.
    package private(set) var fault: String?
    /// Commands refused because of a rate.
    package private(set) var refusedCount = 0
    /// How much earlier than a full period the first ping comes.
    private let pingLead: Int64

    /// - Parameter pingPhase: A number unique to the connection, which spreads the pings of connections opened at the
    ///   same time.
    package init(limits: Limits, now: Int64, pingPhase: UInt64 = 0) {
        self.limits = limits
        connectDeadline = now + limits.connectMilliseconds
        // At most half a period. A client expects no ping at an exact time, only none much later than announced.
        pingLead =
            Int64(pingPhase.multipliedReportingOverflow(by: 0x9E37_79B9_7F4A_7C15).partialValue >> 33)
            % max(1, limits.pingMilliseconds / 2)
    }

    /// Whether the next command is accepted; otherwise the connection is not read.
    package var isReady: Bool {
        switch state {
        case .awaitingConnect: true
        case .live: pausedUntil == nil && inFlight < limits.commandsInFlight
        case .authenticating, .attaching, .ended: false
        }
    }

    /// The announced ping interval: the client gets a ping at least this often.
    package var pingSeconds: UInt64 { UInt64(max(1, limits.pingMilliseconds / 1_000)) }

    package var isLive: Bool { user != nil }

    package var user: UserID? {
        guard case .live(let user) = state else { return nil }
        return user
    }

    // MARK: Inputs

    /// Marks that the commands that follow came in a new message.
    package mutating func beginMessage() { message &+= 1 }

    /// - Parameter userRetryAfter: Milliseconds until the user's rate over all connections allows a command; nil if it
    ///   allows one now. Called once for each command that the connection's own rate allows.
    package mutating func receive(
        _ envelope: ClientEnvelope, now: Int64, userRetryAfter: (UserID) -> Int64? = { _ in nil }
    ) -> [Action] {
        switch (state, envelope.command) {
        case (.ended, _): return []
        case (.awaitingConnect, .connect(let request)):
            state = .authenticating
            return [.verify(token: request.token, .connect(command: envelope.id, request))]
        case (.live, .pong) where pongDeadline != nil:
            pongDeadline = nil
            return []
        case (.live, .pong): return receiveUnsolicited(now: now) ?? []
        case (.awaitingConnect, _): return end(.badRequest, "the first command must be connect")
        case (.live, .connect), (.authenticating, _), (.attaching, _):
            return end(.badRequest, "connect must be sent once and answered before other commands")
        case (.live(let user), let command):
            if let retryAfter = commands.consume(limits.commands, now: now) ?? userRetryAfter(user) {
                return refuse(envelope.id, retryAfter, now)
            }
            refusalsInARow = 0
            unansweredInARow = 0
            return execute(command, envelope.id)
        }
    }

    /// Bytes of an unread message that count as one refusal, because reading them is not free.
    package static let unreadBytesPerRefusal = 4_096

    /// Milliseconds until the connection's own rate allows a command; nil if it allows one now. Consumes nothing.
    package func retryAfter(now: Int64) -> Int64? {
        var rate = commands
        return rate.consume(limits.commands, now: now)
    }

    /// Refuses a command that was not decoded, because a rate would refuse it anyway.
    ///
    /// - Parameter bytes: The size of the message, with its first command.
    package mutating func refuseUnread(_ command: UInt32, retryAfter: Int64, bytes: Int, now: Int64) -> [Action] {
        guard isLive else { return [] }
        refusalsInARow += bytes / Self.unreadBytesPerRefusal
        return refuse(command, max(1, retryAfter), now)
    }

    private mutating func refuse(_ command: UInt32, _ retryAfter: Int64, _ now: Int64) -> [Action] {
        refusedCount += 1
        refusalsInARow += 1
        let rejection = Rejection(.tooManyRequests, retryAfterMilliseconds: retryAfter)
        let refusal = Action.refuse(command: command, rejection)
        return refusalsInARow < limits.refusalsInARow ? [refusal] : [refusal] + pause(now)
    }

    /// Pauses reading, so that few refusals are sent however much arrives, and the client has time to see them.
    private mutating func pause(_ now: Int64) -> [Action] {
        refusalsInARow = 0
        if let lastPause, now - lastPause.end > limits.calmMilliseconds { pausesInARow = 0 }
        // Everything in one message was sent before any of it was answered.
        if lastPause?.message != message { pausesInARow += 1 }
        guard pausesInARow <= limits.pausesInARow else { return end(.tooManyErrors) }
        let end = now + limits.pauseMilliseconds
        lastPause = (end, message)
        pausedUntil = end
        return []
    }

    /// Handles input that is neither a command nor an expected reply: a WebSocket ping or an extra pong.
    ///
    /// - Returns: Nil when it may be answered.
    package mutating func receiveUnsolicited(now: Int64) -> [Action]? {
        guard state != .ended, commands.consume(limits.commands, now: now) != nil else { return nil }
        unansweredInARow += 1
        return unansweredInARow <= limits.refusalsInARow ? [] : end(.tooManyErrors)
    }

    /// Restarts the deadline of the pong, because reading has resumed and the pong may still be unread.
    package mutating func resumeReading(now: Int64) {
        pongDeadline = pongDeadline.map { max($0, now + limits.pongMilliseconds) }
    }

    /// Handles a frame that is not an envelope.
    ///
    /// - Parameter fault: What is wrong with it, in fixed words.
    package mutating func receiveInvalidFrame(_ fault: String) -> [Action] {
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
            guard let rejection = refusal.retryableRejection else { return end(.invalidToken) }
            switch purpose {
            case .connect(let command, _):
                // The client may try again on this connection.
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
    /// - Returns: Actions that were waiting for it.
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

    /// - Parameter isReading: Whether the connection is currently being read.
    package mutating func tick(now: Int64, isReading: Bool = true) -> [Action] {
        if state == .ended { return [] }
        if !isReading { resumeReading(now: now) }
        if let pausedUntil, now >= pausedUntil { self.pausedUntil = nil }
        if let connectDeadline, now >= connectDeadline { return end(.stale) }
        if let expiry, now >= expiry, isLive { return end(.expired) }
        if let pongDeadline, now >= pongDeadline { return end(.noPong) }
        guard let due = nextPing, now >= due else { return [] }
        nextPing = now + limits.pingMilliseconds
        pongDeadline = pongDeadline ?? now + limits.pongMilliseconds
        return [.ping]
    }

    /// When `tick` is next needed.
    package var nextDeadline: Int64? {
        if state == .ended { return nil }
        // Asked after every message: an array would be allocated each time.
        var earliest = Int64.max
        if let connectDeadline { earliest = connectDeadline }
        if let expiry, isLive { earliest = min(earliest, expiry) }
        if let pongDeadline { earliest = min(earliest, pongDeadline) }
        if let nextPing { earliest = min(earliest, nextPing) }
        if let pausedUntil { earliest = min(earliest, pausedUntil) }
        return earliest < .max ? earliest : nil
    }

    package mutating func close(_ code: DisconnectCode) -> [Action] { state == .ended ? [] : end(code) }

    // MARK: Steps

    private mutating func end(_ code: DisconnectCode, _ fault: String? = nil) -> [Action] {
        state = .ended
        self.fault = fault
        return [.close(code)]
    }

    private mutating func execute(_ command: ClientEnvelope.Command, _ id: UInt32) -> [Action] {
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
        case .connect, .pong: return end(.badRequest, "the frame contains no command")
        }
    }
}

extension Identity {
    /// Whole seconds until the token expires, rounded down but at least one, so that a client that refreshes then is in
    /// time; `nil` when it never expires.
    package var ttlSeconds: UInt64? { validFor.map { UInt64(max(1_000, $0)) / 1_000 } }
}
