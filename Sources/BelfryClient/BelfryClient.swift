import FoundationEssentials
import Synchronization

/// A persistent connection to a Belfry server: it reconnects after a loss, to the next node if it knows several,
/// recovers missed events in each room, renews its token, and delivers events in order.
///
///     let client = try BelfryClient(.init(url: "ws://127.0.0.1:8080/connection/websocket") { try await token() })
///     let events = client.events
///     client.connect()
///     let message = try await client.call(SendMessage(channelID: general, text: "hello")).message
///     for await case .event(let event) in events { show(event) }
///
/// Any thread or task may call any method. Releasing the last reference closes the connection.
public final class BelfryClient: Sendable {
    private let driver: ClientDriver
    private let lastID = Atomic<UInt64>(0)

    /// Creates a client without connecting it.
    ///
    /// - Throws: `BelfryError` for unusable URLs, or when the system's trusted certificates cannot be read.
    public init(_ configuration: Configuration) throws(BelfryError) {
        driver = try Self.driver(configuration, order: Self.freshOrder)
    }

    /// Returns the addresses in a random order. As each client has its own, those of a lost node spread over all
    /// others.
    static func freshOrder(of addresses: [ServerAddress]) -> [ServerAddress] { addresses.shuffled() }

    /// - Parameter order: Puts the addresses in the order in which to try them.
    init(_ configuration: Configuration, order: ([ServerAddress]) -> [ServerAddress]) throws(BelfryError) {
        driver = try Self.driver(configuration, order: order)
    }

    private static func driver(
        _ configuration: Configuration, order: ([ServerAddress]) -> [ServerAddress]
    ) throws(BelfryError) -> ClientDriver {
        let list = try AddressList(urls: configuration.urls)
        let loop: ClientLoop
        if let own = configuration.loop { loop = own } else { loop = try ClientLoop.shared() }
        var trust: TrustedAuthorities?
        if list.isSecure {
            if let own = configuration.trustedAuthorities { trust = own } else { trust = try .system() }
        }
        return ClientDriver(
            configuration, addresses: order(list.addresses), trust: trust?.trust, loop: loop.loop)
    }

    deinit {
        let driver = driver
        driver.loop.post { driver.dispose() }
    }

    /// Starts connecting; `states` reports the progress. Has no effect while connecting or connected.
    public func connect() { onLoop { $0.connect() } }

    /// Disconnects and does not reconnect. Calls in progress fail; the client keeps its positions for the next
    /// `connect()`.
    public func disconnect() { onLoop { $0.disconnect() } }

    /// Disconnects without a closing handshake, as if the network had failed. Low-level, for load testers.
    public func abort() { onLoop { $0.abort() } }

    /// The current state followed by every change, for any number of observers. A slow observer keeps the newest 256
    /// states and loses older ones.
    public var states: AsyncStream<ConnectionState> {
        let (stream, continuation) = AsyncStream<ConnectionState>.makeStream(bufferingPolicy: .bufferingNewest(256))
        let id = freshID()
        onLoop { $0.observe(id, continuation) }
        continuation.onTermination = { [weak driver] _ in
            guard let driver else { return }
            driver.loop.post { driver.stopObserving(id) }
        }
        return stream
    }

    /// The events of all rooms, for a single consumer. Access this before `connect()`, or the first events are lost.
    public var events: ClientEvents {
        driver.mailbox.open()
        return ClientEvents(mailbox: driver.mailbox)
    }

    /// Waits until the client is connected, at most for the command timeout.
    ///
    /// - Throws: `BelfryError` if it is not connected by then; `CancellationError` when the task is cancelled.
    public func connected() async throws {
        _ = try await perform(.connection)
    }

    /// The number of events waiting for the consumer, and their size in bytes.
    var waiting: (items: Int, bytes: Int) { driver.mailbox.waiting }

    // MARK: Commands

    /// Sends a typed command and returns its typed result.
    ///
    /// - Throws: `BelfryError`, from the server or from the client; `isOutcomeUnknown` is true if the connection was
    ///   lost before the answer arrived. `CancellationError` when the task is cancelled.
    public func call<R: Request>(_ request: R) async throws -> R.Response {
        let data = Array(try JSONEncoder().encode(request))
        let result = try await rpc(method: R.method, data: data)
        do {
            return try JSONDecoder().decode(R.Response.self, from: Data(result))
        } catch {
            throw BelfryError.badReply("\(R.method): \(error)")
        }
    }

    /// Sends a command as JSON and returns its result as JSON.
    ///
    /// - Throws: The same errors as `call`, except decoding errors.
    public func rpc(method: String, data: [UInt8]) async throws -> [UInt8] {
        try await perform(.rpc(method: method, data: data))
    }

    /// Sends a command as JSON, without a task. Low-level, for load testers.
    ///
    /// - Parameter completion: Called once, on the client's loop. It must be quick.
    public func rpc(
        method: String, data: [UInt8], completion: @escaping @Sendable (Result<[UInt8], BelfryError>) -> Void
    ) {
        let id = CallID(rawValue: freshID())
        onLoop { $0.call(id, .rpc(method: method, data: data), completion) }
    }

    /// Subscribes to a room until `unsubscribe`, across reconnects.
    ///
    /// - Throws: `BelfryError`. If `isOutcomeUnknown` is true, the client subscribes to the room as soon as it
    ///   reconnects.
    public func subscribe(_ room: Room) async throws {
        _ = try await perform(.subscribe(room: room.name))
    }

    /// Unsubscribes from a room, and does not resubscribe after a reconnect.
    ///
    /// - Throws: `BelfryError`.
    public func unsubscribe(_ room: Room) async throws {
        _ = try await start { driver, id, completion in driver.unsubscribe(room.name, id, completion) }
    }

    // MARK: Loop hops

    private func onLoop(_ body: @escaping @Sendable (ClientDriver) -> Void) {
        driver.loop.post { [driver] in body(driver) }
    }

    private func freshID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    private func perform(_ operation: WaitingCalls.Operation) async throws -> [UInt8] {
        try await start { driver, id, completion in driver.call(id, operation, completion) }
    }

    private func start(
        _ body: @escaping @Sendable (ClientDriver, CallID, @escaping ClientDriver.Completion) -> Void
    ) async throws -> [UInt8] {
        try Task.checkCancellation()
        let id = CallID(rawValue: freshID())
        return try await withTaskCancellationHandler {
            let result = await withCheckedContinuation { continuation in
                onLoop { body($0, id) { continuation.resume(returning: $0) } }
                // The cancellation handler below may have run before the call was registered.
                if Task.isCancelled { onLoop { $0.cancel(id)?(.failure(.cancelled)) } }
            }
            if result == .failure(.cancelled) { throw CancellationError() }
            return try result.get()
        } onCancel: {
            onLoop { $0.cancel(id)?(.failure(.cancelled)) }
        }
    }
}
