import ChatModel
import WireProtocol

/// The Centrifuge protocol state machine of one connection, from its first command until it closes.
///
/// Takes envelopes, results and the current time, and returns actions. All times are in milliseconds on any monotonic
/// clock.
package struct Session: ~Copyable {
    package struct Limits: Sendable, Equatable {
        /// The time a connection has to send `connect` and be accepted.
        package var connectMilliseconds: Int64 = 10_000
        package var pingMilliseconds: Int64 = 25_000
        /// The time a client has to answer a ping.
        package var pongMilliseconds: Int64 = 10_000
        /// How long a connection outlives its token, because SDKs refresh only after the announced lifetime.
        package var expiryGraceMilliseconds: Int64 = 750
        /// The number of commands in progress at which the server stops reading.
        package var commandsInFlight = 64
        /// The rate limit for commands and unsolicited messages such as pings.
        package var commands = TokenBucket.Rate(perSecond: 200, burst: 1_000)
        /// The number of consecutive rate-limit refusals after which reading pauses. Clients may send commands before
        /// they see a refusal, but every refusal costs a reply.
        package var refusalsInARow = 100
        /// The length of one reading pause.
        package var pauseMilliseconds: Int64 = 1_000
        /// The number of consecutive pauses, each for a different message, after which the connection closes.
        package var pausesInARow = 10
        /// The time after a pause until the count of consecutive pauses resets.
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
        /// Replies to a client's ping.
        case pong(command: UInt32)
        /// Replies with an error.
        case refuse(command: UInt32, Rejection)
        /// Replies to a refresh; the reply also contains the connection's name and the server's version.
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
    private let shared: Shared<Limits>
    private var limits: Limits { shared.value }
    /// Whether the session automatically enters the rooms of channels its user joins.
    package private(set) var followsChannels = false
    private var inFlight = 0
    /// Subscribes in progress, and unsubscribes waiting for one of the same room, in order of arrival. An unsubscribe
    /// that overtook its subscribe would leave the client in the room.
    private var roomCommands: [(command: UInt32, room: Room, isSubscribe: Bool)] = []
    @OptionalTime private var connectDeadline: Int64?
    @OptionalTime private var nextPing: Int64?
    @OptionalTime private var pongDeadline: Int64?
    @OptionalTime private var expiry: Int64?
    private var commands = TokenBucket()
    private var refusalsInARow = 0
    /// Consecutive unsolicited pings and pongs that exceeded the rate and got no reply.
    private var unansweredInARow = 0
    @OptionalTime private var pausedUntil: Int64?
    private var pausesInARow = 0
    private var lastPause: (end: Int64, message: UInt64)?
    /// The number of messages with commands so far.
    private var message: UInt64 = 0
    /// The error in the client's input as a constant phrase; part of the close reason.
    package private(set) var fault: String?
    /// The number of commands refused by a rate limit.
    package private(set) var refusedCount = 0
    /// How much earlier than a full period the first ping is sent.
    private let pingLead: Int64

    /// - Parameter pingPhase: A number unique to the connection that staggers pings.
    package init(limits shared: Shared<Limits>, now: Int64, pingPhase: UInt64 = 0) {
        self.shared = shared
        let limits = shared.value
        connectDeadline = now + limits.connectMilliseconds
        // At most half a period. Early pings do no harm; clients only time out if one is much too late.
        pingLead =
            Int64(pingPhase.multipliedReportingOverflow(by: 0x9E37_79B9_7F4A_7C15).partialValue >> 33)
            % max(1, limits.pingMilliseconds / 2)
    }

    /// Whether the session accepts another command; if not, the connection is not read.
    package var isReady: Bool {
        switch state {
        case .awaitingConnect: true
        case .live: pausedUntil == nil && inFlight < limits.commandsInFlight
        case .authenticating, .attaching, .ended: false
        }
    }

    /// The announced ping interval in seconds; the client gets a ping at least this often.
    package var pingSeconds: UInt64 { UInt64(max(1, limits.pingMilliseconds / 1_000)) }

    package var isLive: Bool { user != nil }

    package var user: UserID? {
        guard case .live(let user) = state else { return nil }
        return user
    }

    // MARK: Inputs

    /// Marks the start of a new message; the following commands belong to it.
    package mutating func beginMessage() { message &+= 1 }

    /// - Parameter userRetryAfter: Returns the milliseconds until the rate of all the user's connections allows a
    ///   command; nil if it allows one now. Called once for each command within the connection's own rate.
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

    /// The bytes of an undecoded message that count as another refusal, because receiving them has a cost.
    package static let unreadBytesPerRefusal = 4_096

    /// Returns the milliseconds until the connection's own rate allows a command; nil if it allows one now. Consumes no
    /// tokens.
    package func retryAfter(now: Int64) -> Int64? {
        var rate = commands
        return rate.consume(limits.commands, now: now)
    }

    /// Refuses a command without decoding it, because a rate limit would refuse it anyway.
    ///
    /// - Parameter bytes: The message's size for its first command, otherwise 0.
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

    /// Pauses reading. This limits the number of refusals sent and gives the client time to see them.
    private mutating func pause(_ now: Int64) -> [Action] {
        refusalsInARow = 0
        if let lastPause, now - lastPause.end > limits.calmMilliseconds { pausesInARow = 0 }
        // The client sent all of one message before it saw any reply to it.
        if lastPause?.message != message { pausesInARow += 1 }
        guard pausesInARow <= limits.pausesInARow else { return end(.tooManyErrors) }
        let end = now + limits.pauseMilliseconds
        lastPause = (end, message)
        pausedUntil = end
        return []
    }

    /// Handles a WebSocket ping or an unexpected pong, which count against the command rate.
    ///
    /// - Returns: Nil if the input may be answered; otherwise the actions to perform instead.
    package mutating func receiveUnsolicited(now: Int64) -> [Action]? {
        guard state != .ended, commands.consume(limits.commands, now: now) != nil else { return nil }
        unansweredInARow += 1
        return unansweredInARow <= limits.refusalsInARow ? [] : end(.tooManyErrors)
    }

    /// Extends the pong deadline when reading resumes, because the pong may still be unread.
    package mutating func resumeReading(now: Int64) {
        pongDeadline = pongDeadline.map { max($0, now + limits.pongMilliseconds) }
    }

    /// Handles a frame that is not an envelope.
    ///
    /// - Parameter fault: The error, as a constant phrase.
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
                // The client may retry on this connection.
                state = .awaitingConnect
                return [.refuse(command: command, rejection)]
            case .refresh(let command):
                inFlight -= 1
                return [.refuse(command: command, rejection)]
            }
        }
    }

    /// - Returns: The identity for the connect reply; nil if the session has ended in the meantime.
    package mutating func attached(now: Int64) -> Identity? {
        guard case .attaching(let identity, let subscribe) = state else { return nil }
        state = .live(identity.user)
        followsChannels = subscribe == .joined
        connectDeadline = nil
        nextPing = now + limits.pingMilliseconds - pingLead
        return identity
    }

    /// Records that the reply to a command has been written.
    ///
    /// - Returns: The actions that were waiting for that reply.
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

    /// The next time at which `tick` must be called; nil if none.
    package var nextDeadline: Int64? {
        if state == .ended { return nil }
        // No array with `min()`: this runs after every message, and each call would allocate.
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
    /// Whole seconds until the token expires, rounded down so that clients refresh in time, but at least 1; `nil` if it
    /// never expires.
    package var ttlSeconds: UInt64? { validFor.map { UInt64(max(1_000, $0)) / 1_000 } }
}
