import FoundationEssentials
import Synchronization

/// A connection to a Belfry server that keeps itself alive: it comes back after a loss, recovers what was missed in each
/// room, renews its token, and reports everything in order.
///
///     let client = try BelfryClient(.init(url: "ws://127.0.0.1:8080/connection/websocket") { try await token() })
///     let events = client.events
///     client.connect()
///     let message = try await client.call(SendMessage(channelID: general, text: "hello")).message
///     for await case .event(let event) in events { show(event) }
///
/// Everything may be called from anywhere. When the last reference goes, the connection is closed.
public final class BelfryClient: Sendable {
    private let driver: ClientDriver
    private let lastID = Atomic<UInt64>(0)

    /// - Throws: `BelfryError` for a URL that cannot be used, or when the system's trusted certificates cannot be read.
    public init(_ configuration: Configuration) throws(BelfryError) {
        let address = try ServerAddress(url: configuration.url)
        let loop: ClientLoop
        if let own = configuration.loop { loop = own } else { loop = try ClientLoop.shared() }
        var trust: TrustedAuthorities?
        if address.isSecure {
            if let own = configuration.trustedAuthorities { trust = own } else { trust = try .system() }
        }
        driver = ClientDriver(configuration, address: address, trust: trust?.trust, loop: loop.loop)
    }

    deinit {
        let driver = driver
        driver.loop.post { driver.dispose() }
    }

    /// Sets out; how it goes, `states` tells. While on the way or connected: nothing.
    public func connect() { onLoop { $0.connect() } }

    /// Leaves and stays away. Calls under way fail; positions are kept for the next `connect()`.
    public func disconnect() { onLoop { $0.disconnect() } }

    /// Low-level, for load testers: the same without a good-bye, as if the network had failed.
    public func abort() { onLoop { $0.abort() } }

    /// The present state and then every change, for any number of observers. Of one that lags, the oldest of 256 states
    /// are dropped.
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

    /// What happens in the rooms, for one consumer. Ask for it before `connect()`, or the first events are gone.
    public var events: ClientEvents {
        driver.mailbox.open()
        return ClientEvents(mailbox: driver.mailbox)
    }

    /// Waits for the connection, up to the time for a command.
    public func connected() async throws {
        _ = try await perform(.connection)
    }

    /// Events that wait for the consumer, and their bytes.
    var waiting: (items: Int, bytes: Int) { driver.mailbox.waiting }

    // MARK: Commands

    /// Sends a typed command and gives its typed result.
    ///
    /// - Throws: `BelfryError`: the server's refusal, or one of our own; `isOutcomeUnknown` when the connection broke
    ///   before the answer came. `CancellationError` when the task is cancelled.
    public func call<R: Request>(_ request: R) async throws -> R.Response {
        let data = Array(try JSONEncoder().encode(request))
        let result = try await rpc(method: R.method, data: data)
        do {
            return try JSONDecoder().decode(R.Response.self, from: Data(result))
        } catch {
            throw BelfryError.badReply("\(R.method): \(error)")
        }
    }

    /// Sends a command as JSON and gives its result as JSON.
    public func rpc(method: String, data: [UInt8]) async throws -> [UInt8] {
        try await perform(.rpc(method: method, data: data))
    }

    /// Low-level, for load testers: the same without a task.
    ///
    /// - Parameter completion: Called once, on the client's loop. It must be quick.
    public func rpc(
        method: String, data: [UInt8], completion: @escaping @Sendable (Result<[UInt8], BelfryError>) -> Void
    ) {
        let id = CallID(rawValue: freshID())
        onLoop { $0.call(id, .rpc(method: method, data: data), completion) }
    }

    /// Hears a room from now on, over all connections to come, until `unsubscribe`.
    ///
    /// - Throws: `BelfryError`. With `isOutcomeUnknown` the room is heard as soon as there is a connection again.
    public func subscribe(_ room: Room) async throws {
        _ = try await perform(.subscribe(room: room.name))
    }

    public func unsubscribe(_ room: Room) async throws {
        _ = try await start { driver, id, completion in driver.unsubscribe(room.name, id, completion) }
    }

    // MARK: To the loop and back

    private func onLoop(_ body: @escaping @Sendable (ClientDriver) -> Void) {
        driver.loop.post { [driver] in body(driver) }
    }

    private func freshID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    private func perform(_ wish: WaitingCalls.Wish) async throws -> [UInt8] {
        try await start { driver, id, completion in driver.call(id, wish, completion) }
    }

    private func start(
        _ body: @escaping @Sendable (ClientDriver, CallID, @escaping ClientDriver.Completion) -> Void
    ) async throws -> [UInt8] {
        try Task.checkCancellation()
        let id = CallID(rawValue: freshID())
        return try await withTaskCancellationHandler {
            let result = await withCheckedContinuation { continuation in
                onLoop { body($0, id) { continuation.resume(returning: $0) } }
                // The handler below may have run before the call was there to be cancelled.
                if Task.isCancelled { onLoop { $0.cancel(id)?(.failure(.cancelled)) } }
            }
            if result == .failure(.cancelled) { throw CancellationError() }
            return try result.get()
        } onCancel: {
            onLoop { $0.cancel(id)?(.failure(.cancelled)) }
        }
    }
}
