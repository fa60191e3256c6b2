import BelfryClient

/// Creates clients for a server, connects them, and has them join channels.
struct Crowd: Sendable {
    /// The URLs of the server's nodes; at least one.
    let urls: [String]
    /// The trusted certificates; nil for the system's.
    let trusted: TrustedAuthorities?
    /// The file that contains them; nil for the system's.
    let trustFile: String?
    let tokens: Tokens
    /// The number of clients that connect or join concurrently.
    let concurrency: Int
    let progress: Progress

    /// Returns the URL of the node that a client connects to. Numbered clients are spread evenly.
    func url(of number: Int) -> String { urls[number % urls.count] }

    /// - Parameter number: The client's number among those of its kind, from 0.
    func configuration(_ name: String, number: Int) throws -> BelfryClient.Configuration {
        let token = try tokens.token(for: name)
        var configuration = BelfryClient.Configuration(url: url(of: number)) { token }
        configuration.commandTimeout = .seconds(30)
        configuration.trustedAuthorities = trusted
        return configuration
    }

    /// Returns a client that sends but does not subscribe, so that its deliveries are not measured.
    func sender(_ name: String, number: Int = 0, on loop: ClientLoop) throws -> BelfryClient {
        var configuration = try configuration(name, number: number)
        configuration.subscribe = .none
        configuration.loop = loop
        return try BelfryClient(configuration)
    }

    /// Creates event loops for the clients.
    static func loops(_ count: Int) throws -> [ClientLoop] {
        try (0..<count).map { try ClientLoop(label: "belfry-load-\($0)") }
    }

    /// Has everyone join their channels and disconnect. As nobody stays connected, large channels do not fill with join
    /// events.
    func settle(
        _ names: [String], on loops: [ClientLoop], in channels: @escaping @Sendable (_ number: Int) -> [ChannelID]
    ) async throws {
        try await each(Array(names.enumerated()), "joining") { number, name in
            let client = try sender(name, number: number, on: loops[number % loops.count])
            try await connect(client)
            for channel in channels(number) { try await join(client, channel) }
            client.disconnect()
        }
    }

    /// Connects all clients; the first creates the channel and the others join it.
    func gather(_ clients: [BelfryClient], in channel: ChannelID, _ what: String) async throws {
        try await each(clients, "connecting \(what)") { try await connect($0) }
        try await create(channel, by: clients[0])
        try await each(Array(clients.dropFirst()), "joining \(what)") { try await join($0, channel) }
    }

    func connect(_ client: BelfryClient) async throws {
        client.connect()
        do {
            try await client.connected()
        } catch {
            throw LoadError("a client could not connect to \(urls.joined(separator: ", ")): \(await state(of: client))")
        }
    }

    private func state(of client: BelfryClient) async -> String {
        for await state in client.states { return "\(state)" }
        return "gone"
    }

    /// Creates a public channel with its owner as a member.
    ///
    /// - Parameter isSuper: Whether it may have thousands of members.
    func create(_ channel: ChannelID, by owner: BelfryClient, isSuper: Bool = true) async throws {
        do {
            _ = try await owner.call(CreateChannel(id: channel, name: "belfry-load", isPublic: true, isSuper: isSuper))
        } catch {
            throw LoadError("the channel could not be created: \(error)")
        }
    }

    func join(_ client: BelfryClient, _ channel: ChannelID) async throws {
        do {
            _ = try await client.call(JoinChannel(channelID: channel))
        } catch {
            throw LoadError("a client could not join: \(error)")
        }
    }

    /// Runs a task for each element, `concurrency` at a time.
    func each<Element: Sendable>(
        _ elements: [Element], _ what: String, _ body: @escaping @Sendable (Element) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var done = 0
            for (index, element) in elements.enumerated() {
                if index >= concurrency {
                    try await group.next()
                    done += 1
                    if done % 16 == 0 { progress.show("\(what) \(done)/\(elements.count)") }
                }
                group.addTask { try await body(element) }
            }
            try await group.waitForAll()
        }
        progress.show("\(what) \(elements.count)/\(elements.count)")
    }
}
