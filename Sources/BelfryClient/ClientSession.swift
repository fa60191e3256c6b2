import ChatModel
import WireProtocol

/// A client's session in the Centrifuge protocol, across any number of connections.
///
/// A pure state machine: messages, calls and times go in, actions come out. Times are milliseconds of any monotonic
/// clock.
struct ClientSession {
    struct Settings {
        /// The URLs of the nodes, in the order in which to try them; at least one.
        var urls = [""]
        var subscribe = ConnectRequest.Subscribe.joined
        var commandMilliseconds: Int64 = 5_000
        var openMilliseconds: Int64 = 10_000
        var pingDelayMilliseconds: Int64 = 10_000
        /// The delay before retrying a refresh or a subscription that failed temporarily.
        var retryMilliseconds: Int64 = 2_000
        var commandBytes = 65_536
        /// The maximum number of calls in progress, whether sent or waiting for a connection.
        var calls = 4_096
        var callBytes = 4_194_304
    }

    enum Action: Equatable {
        /// Ask the token provider; the result must carry the same number.
        case fetchToken(number: Int)
        /// Connect to the URL with this index, and upgrade.
        case open(address: Int)
        /// Close the connection, whatever its state; it delivers nothing more.
        case drop
        /// Send the bytes of one envelope.
        case send([UInt8])
        /// Call `reconnectDue` after the backoff for this attempt, counted from 0.
        case waitToReconnect(attempt: Int)
        /// Call `reconnectDue` after the short delay between two addresses of a round.
        case waitForNextAddress
        /// Complete a call with its result as JSON, which is empty when there is none.
        case complete(CallID, Result<[UInt8], BelfryError>)
        case changed(ConnectionState)
        case publication(room: String, offset: UInt64, data: [UInt8])
        case subscribed(room: String, recovered: Bool, wasRecovering: Bool)
        case unsubscribed(room: String)
        case gap(room: String, expected: UInt64, received: UInt64)
    }

    enum Phase {
        case idle
        /// Waits until the backoff ends.
        case waiting
        case fetchingToken
        case opening(deadline: Int64)
        /// The connect command is in progress.
        case connecting
        case live(Live)
    }

    struct Live {
        /// Nil when the server does not ping.
        var pingMilliseconds: Int64?
        var wantsPong: Bool
        var pingDeadline: Int64?
        var refreshAt: Int64?
        /// When to retry client-side subscriptions that failed temporarily.
        var subscribeAgainAt: Int64?
    }

    let settings: Settings
    var phase = Phase.idle
    var rooms = RoomTable()
    var calls = CallTable()
    var waiting = WaitingCalls()
    var rotation: AddressRotation
    /// The number of failed rounds since the last connection.
    private var attempt = 0
    private var token: String?
    private var tokenNumber = 0
    var isReadingPaused = false
    /// The actions resulting from the current input.
    var actions: [Action] = []

    init(settings: Settings) {
        self.settings = settings
        rotation = AddressRotation(count: settings.urls.count)
    }

    mutating func drainActions() -> [Action] {
        let drained = actions
        actions = []
        return drained
    }

    // MARK: Calls by the app

    mutating func connect(now: Int64) -> [Action] {
        switch phase {
        case .idle:
            attempt = 0
            rotation.beginRound()
            actions.append(.changed(.connecting(after: nil)))
            begin(now: now)
        case .waiting: begin(now: now)
        case .fetchingToken, .opening, .connecting, .live: break
        }
        return drainActions()
    }

    mutating func disconnect() -> [Action] {
        end(.client)
        return drainActions()
    }

    // MARK: Connecting

    private mutating func begin(now: Int64) {
        guard token != nil else {
            phase = .fetchingToken
            fetchToken()
            return
        }
        phase = .opening(deadline: now + settings.openMilliseconds)
        actions.append(.open(address: rotation.current))
    }

    mutating func fetchToken() {
        tokenNumber += 1
        actions.append(.fetchToken(number: tokenNumber))
    }

    mutating func reconnectDue(now: Int64) -> [Action] {
        if case .waiting = phase { begin(now: now) }
        return drainActions()
    }

    enum TokenResult {
        case token(String)
        case signedOut
        case failed(String)
    }

    mutating func tokenFetched(_ result: TokenResult, number: Int, now: Int64) -> [Action] {
        guard number == tokenNumber else { return [] }
        switch (phase, result) {
        case (.fetchingToken, .token(let text)):
            token = text
            begin(now: now)
        case (.live, .token(let text)):
            token = text
            send(.refresh(token: text), for: .refresh, now: now)
        case (.fetchingToken, .signedOut), (.live, .signedOut): end(.signedOut)
        case (.fetchingToken, .failed(let reason)): retry(.noToken(reason))
        case (.live(var live), .failed):
            live.refreshAt = now + settings.retryMilliseconds
            phase = .live(live)
        case (.idle, _), (.waiting, _), (.opening, _), (.connecting, _): break
        }
        return drainActions()
    }

    mutating func linkOpened(now: Int64) -> [Action] {
        guard case .opening = phase else { return [] }
        phase = .connecting
        isReadingPaused = false
        let request = ConnectRequest(
            token: token, subscribe: settings.subscribe, positions: rooms.positionsForConnect())
        send(.connect(request), for: .connect, now: now)
        return drainActions()
    }

    enum LinkEnd: Equatable {
        /// The peer sent a close frame; `code` is nil if the frame has none.
        case closed(code: UInt16?, reason: String)
        case failed(String)
    }

    mutating func linkEnded(_ end: LinkEnd) -> [Action] {
        switch phase {
        case .idle, .waiting, .fetchingToken: return []
        case .opening, .connecting, .live: break
        }
        switch end {
        case .failed(let reason): retry(.lost(reason))
        case .closed(let code, let reason): closed(code ?? 1005, reason)
        }
        return drainActions()
    }

    mutating func closed(_ code: UInt16, _ reason: String) {
        let cause = DisconnectReason.closed(code: Int(code), reason: reason)
        guard DisconnectCode.allowsReconnect(code) else { return end(cause) }
        if code == DisconnectCode.expired.rawValue { token = nil }
        retry(cause)
    }

    // MARK: Connected

    mutating func connected(_ result: ServerMessage.Connected, now: Int64) {
        guard case .connecting = phase else { return }
        attempt = 0
        let ping = result.pingSeconds > 0 ? Int64(min(result.pingSeconds, 1_000_000)) * 1_000 : nil
        let live = Live(
            pingMilliseconds: ping, wantsPong: result.wantsPong,
            pingDeadline: ping.map { now + $0 + settings.pingDelayMilliseconds },
            refreshAt: result.ttl.map { now + Self.refreshDelay(ttlSeconds: $0) })
        phase = .live(live)
        let names = result.subs.keys.sorted()
        let info = ConnectedInfo(
            url: settings.urls[rotation.current], client: result.client, rooms: names, data: result.data)
        actions.append(.changed(.connected(info)))
        enterRooms(result.subs, names: names, now: now)
        for call in waiting.removeAll() { start(call, now: now) }
    }

    mutating func connectRefused(_ error: BelfryError) {
        guard case .connecting = phase else { return }
        let expired = error.code == ErrorCode.tokenExpired.rawValue
        if expired { token = nil }
        if expired || error.isTemporary { retry(.refused(error)) } else { end(.refused(error)) }
    }

    /// Returns when to renew a token: after two thirds of its lifetime, or 15 s before its end if that is later. `ttl`
    /// is rounded up, so the real lifetime may be up to a second shorter.
    static func refreshDelay(ttlSeconds: UInt64) -> Int64 {
        let life = Int64(min(ttlSeconds, 3_155_760_000)) * 1_000
        return max(500, life - max(1_500, min(15_000, life / 3)))
    }

    mutating func refreshed(_ ttl: UInt64?, now: Int64) {
        guard case .live(var live) = phase else { return }
        live.refreshAt = ttl.map { now + Self.refreshDelay(ttlSeconds: $0) }
        phase = .live(live)
    }

    mutating func refreshFailed(now: Int64) {
        guard case .live(var live) = phase else { return }
        live.refreshAt = now + settings.retryMilliseconds
        phase = .live(live)
    }

    /// Whether a command would be sent immediately.
    var isLive: Bool {
        if case .live = phase { return true }
        return false
    }

    // MARK: Disconnecting

    /// Drops this connection and tries the next address: soon, or after the backoff if all have failed.
    mutating func retry(_ reason: DisconnectReason) {
        dropConnection()
        phase = .waiting
        actions.append(.changed(.connecting(after: reason)))
        // Without a token, no address was tried.
        if case .noToken = reason { return waitToReconnect() }
        if rotation.advance() { waitToReconnect() } else { actions.append(.waitForNextAddress) }
    }

    private mutating func waitToReconnect() {
        actions.append(.waitToReconnect(attempt: attempt))
        attempt += 1
    }

    /// Disconnects until the app connects again. Rooms and positions are kept.
    private mutating func end(_ reason: DisconnectReason) {
        if case .idle = phase { return }
        dropConnection()
        phase = .idle
        token = nil
        tokenNumber += 1
        for call in waiting.removeAll() { fail(call, .disconnected) }
        actions.append(.changed(.disconnected(reason)))
    }

    private mutating func dropConnection() {
        switch phase {
        case .opening, .connecting, .live: actions.append(.drop)
        case .idle, .waiting, .fetchingToken: break
        }
        rooms.suspendAll()
        for purpose in calls.removeAll() { abandon(purpose) }
    }
}
