import ChatModel
import EventLoops
import Synchronization
import Testing
import WireProtocol

@testable import BelfryClient

@Suite(.timeLimit(.minutes(10)))
struct BelfryClientTests {
    private func configuration(_ server: TestServer, token: String = "t") -> BelfryClient.Configuration {
        var configuration = BelfryClient.Configuration(url: server.url) { token }
        configuration.backoff = Backoff(minimum: .milliseconds(10), maximum: .milliseconds(50))
        // The token comes from a task, and other tests occupy the shared task threads for seconds.
        configuration.commandTimeout = .seconds(300)
        configuration.connectTimeout = .seconds(300)
        return configuration
    }

    private func room(_ name: String) throws -> Room { try #require(Room(name: name)) }

    @Test func `a client connects, calls a command and gets its response`() async throws {
        let server = try TestServer { _, envelope in
            switch envelope.command {
            case .connect: [.send([accepted(envelope)])]
            case .rpc(_, let data): [.send([.rpc(id: envelope.id, data: Array(data))])]
            default: []
            }
        }
        defer { server.stop() }
        let client = try BelfryClient(configuration(server))
        client.connect()
        #expect(try await client.rpc(method: "echo", data: bytes("[1,2]")) == bytes("[1,2]"))
        var states = client.states.makeAsyncIterator()
        guard case .connected(let info) = await states.next() else { return #expect(Bool(false)) }
        #expect(info.user?.id.rawValue == "ann")
        client.disconnect()
        #expect(await states.next() == .disconnected(.client))
        await #expect(throws: BelfryError.disconnected) { try await client.connected() }
    }

    @Test
    func `a call made without a task completes on the client's loop, where another call can be made`() async throws {
        let server = try TestServer { _, envelope in
            switch envelope.command {
            case .connect: [.send([accepted(envelope)])]
            case .rpc(_, let data): [.send([.rpc(id: envelope.id, data: Array(data))])]
            default: []
            }
        }
        defer { server.stop() }
        var configuration = configuration(server)
        let loop = try ClientLoop(label: "calls")
        configuration.loop = loop
        let client = try BelfryClient(configuration)
        client.connect()
        let answers = await withCheckedContinuation { continuation in
            client.rpc(method: "echo", data: bytes("1")) { first in
                loop.loop.assertOnLoop()
                client.rpc(method: "echo", data: bytes("2")) { continuation.resume(returning: [first, $0]) }
            }
        }
        #expect(answers == [.success(bytes("1")), .success(bytes("2"))])
        client.disconnect()
        let refused = await withCheckedContinuation { continuation in
            client.rpc(method: "echo", data: []) { continuation.resume(returning: $0) }
        }
        #expect(refused == .failure(.disconnected))
    }

    @Test func `an error reaches the caller with its code`() async throws {
        let server = try TestServer { _, envelope in
            switch envelope.command {
            case .connect: [.send([accepted(envelope)])]
            default: [.send([.error(id: envelope.id, Rejection(.notAMember))])]
            }
        }
        defer { server.stop() }
        let client = try BelfryClient(configuration(server))
        client.connect()
        let general = try #require(ChannelID("general"))
        let error = await #expect(throws: BelfryError.self) {
            try await client.call(SendMessage(channelID: general, text: "hi"))
        }
        #expect(error?.code == 1001)
    }

    @Test func `events missed while disconnected arrive in order`() async throws {
        let epoch = "e"
        let server = try TestServer { connection, envelope in
            guard case .connect(let request) = envelope.command else { return [] }
            if connection == 0 {
                let result = SubscribeResult(position: RoomPosition(offset: 0, epoch: epoch))
                let events = (1...3).map { event(general, $0) }
                return [.send([accepted(envelope, [(general, result)])] + events), .close(3001)]
            }
            let since = request.positions[general]?.offset ?? 0
            var result = SubscribeResult(
                position: RoomPosition(offset: 6, epoch: epoch), wasRecovering: true, recovered: true)
            result.publications = (since + 1...6).map {
                Publication(offset: $0, data: bytes(#"{"type":"member.left","at":1}"#))
            }
            return [.send([accepted(envelope, [(general, result)]), event(general, 7)])]
        }
        defer { server.stop() }
        let client = try BelfryClient(configuration(server))
        let events = client.events
        client.connect()
        var heard: [ClientEvent] = []
        for await event in events {
            heard.append(event)
            if heard.count == 9 { break }
        }
        let room = try room(general)
        let offsets = heard.compactMap { if case .event(let event) = $0 { event.offset } else { nil } }
        #expect(offsets == Array(1...7))
        #expect(heard.first == .subscribed(room, recovered: false, wasRecovering: false))
        #expect(heard.contains(.subscribed(room, recovered: true, wasRecovering: true)))
    }

    @Test func `a gap makes the client reconnect and recover`() async throws {
        let server = try TestServer { connection, envelope in
            guard case .connect(let request) = envelope.command else { return [] }
            var result = SubscribeResult(position: RoomPosition(offset: 1, epoch: "e"))
            if connection == 0 {
                return [.send([accepted(envelope, [(general, result)]), event(general, 2), event(general, 4)])]
            }
            // On a slow machine the client may reconnect a third time, having received more by then.
            if connection == 1 { #expect(request.positions == [general: RoomPosition(offset: 2, epoch: "e")]) }
            result = SubscribeResult(
                position: RoomPosition(offset: 4, epoch: "e"), wasRecovering: true, recovered: true,
                publications: [3, 4].map {
                    Publication(offset: $0, data: bytes(#"{"type":"member.left","at":1}"#))
                })
            return [.send([accepted(envelope, [(general, result)])])]
        }
        defer { server.stop() }
        let client = try BelfryClient(configuration(server))
        let events = client.events
        client.connect()
        var offsets: [UInt64] = []
        var hasGap = false
        for await event in events {
            if case .gap = event { hasGap = true }
            if case .event(let event) = event { offsets += [event.offset ?? 0] }
            if offsets.count == 3 { break }
        }
        #expect(hasGap)
        #expect(offsets == [2, 3, 4])
    }

    @Test
    func `a disconnected client resumes at its last position, and the hook learns whether it has recovered`()
        async throws
    {
        let server = try TestServer { connection, envelope in
            guard case .connect(let request) = envelope.command else { return [] }
            let isBack = connection > 0
            #expect(request.positions == (isBack ? [general: RoomPosition(offset: 1, epoch: "e")] : [:]))
            let result = SubscribeResult(
                position: RoomPosition(offset: 1, epoch: "e"), wasRecovering: isBack, recovered: isBack)
            return [.send([accepted(envelope, [(general, result)])])]
        }
        defer { server.stop() }
        let (entered, entry) = AsyncStream<[Bool]>.makeStream()
        var configuration = configuration(server)
        configuration.onSubscribed = { room, recovered, wasRecovering in
            #expect(room == general)
            entry.yield([recovered, wasRecovering])
        }
        let client = try BelfryClient(configuration)
        var entries = entered.makeAsyncIterator()
        client.connect()
        #expect(await entries.next() == [false, false])
        client.abort()
        await #expect(throws: BelfryError.disconnected) { try await client.connected() }
        client.connect()
        #expect(await entries.next() == [true, true])
    }

    @Test func `a call in flight when the connection breaks has an unknown outcome`() async throws {
        let server = try TestServer { connection, envelope in
            switch envelope.command {
            case .connect: [.send([accepted(envelope)])]
            case .rpc(_, let data):
                connection == 0 ? [.cut] : [.send([.rpc(id: envelope.id, data: Array(data))])]
            default: []
            }
        }
        defer { server.stop() }
        let client = try BelfryClient(configuration(server))
        client.connect()
        let error = await #expect(throws: BelfryError.self) { try await client.rpc(method: "m", data: bytes("1")) }
        #expect(error?.isOutcomeUnknown == true)
        #expect(try await client.rpc(method: "m", data: bytes("2")) == bytes("2"))
    }

    @Test func `an expired token is replaced`() async throws {
        let server = try TestServer { _, envelope in
            guard case .connect(let request) = envelope.command else { return [] }
            if request.token == "new" { return [.send([accepted(envelope)])] }
            return [.send([.error(id: envelope.id, Rejection(.tokenExpired))])]
        }
        defer { server.stop() }
        let asked = Atomic<Int>(0)
        var configuration = configuration(server)
        configuration.token = { asked.add(1, ordering: .relaxed).oldValue == 0 ? "old" : "new" }
        let client = try BelfryClient(configuration)
        client.connect()
        try await client.connected()
        #expect(asked.load(ordering: .relaxed) == 2)
    }

    @Test func `a permanent close ends the client`() async throws {
        let server = try TestServer { _, envelope in [.send([accepted(envelope)]), .close(3503)] }
        defer { server.stop() }
        let client = try BelfryClient(configuration(server))
        client.connect()
        for await state in client.states {
            guard case .disconnected(let reason) = state, reason != .client else { continue }
            #expect(reason == .closed(code: 3503, reason: ""))
            break
        }
    }

    @Test func `a slow consumer is not flooded and loses nothing`() async throws {
        let count: UInt64 = 40_000
        let server = try TestServer { _, envelope in
            guard case .connect = envelope.command else { return [] }
            let result = SubscribeResult(position: RoomPosition(offset: 0, epoch: "e"))
            return [.send([accepted(envelope, [(general, result)])])]
                + (1...count).map { .send([event(general, $0)]) }
        }
        defer { server.stop() }
        var configuration = configuration(server)
        configuration.undeliveredLimit = 64
        let client = try BelfryClient(configuration)
        let events = client.events
        client.connect()
        try await client.connected()
        var iterator = events.makeAsyncIterator()
        _ = await iterator.next()
        // Pending events are in the server and the kernel, not in the client.
        #expect(client.waiting.items <= 64)
        for expected in 1...count {
            guard case .event(let event) = await iterator.next() else { return #expect(Bool(false)) }
            guard event.offset == expected else { return #expect(event.offset == expected) }
        }
    }

    @Test func `publications can be received as they arrive`() async throws {
        let server = try TestServer { _, envelope in
            guard case .connect = envelope.command else { return [] }
            let result = SubscribeResult(position: RoomPosition(offset: 0, epoch: "e"))
            return [.send([accepted(envelope, [(general, result)])] + [1, 2, 2].map { event(general, $0) })]
        }
        defer { server.stop() }
        var configuration = configuration(server)
        let (offsets, continuation) = AsyncStream<UInt64>.makeStream()
        configuration.onPublication = { room, offset, _ in if room == general { continuation.yield(offset) } }
        let client = try BelfryClient(configuration)
        client.connect()
        var iterator = offsets.makeAsyncIterator()
        #expect(await [iterator.next(), iterator.next(), iterator.next()] == [1, 2, 2])
    }

    @Test func `a cancelled call throws immediately`() async throws {
        let server = try TestServer { _, envelope in
            if case .connect = envelope.command { [.send([accepted(envelope)])] } else { [] }
        }
        defer { server.stop() }
        let client = try BelfryClient(configuration(server))
        client.connect()
        try await client.connected()
        let call = Task { try await client.rpc(method: "never", data: []) }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func `connecting to an unreachable server is retried`() async throws {
        let listener = try Sockets.listen(host: "127.0.0.1", port: 0, backlog: 1, reusePort: false)
        let port = try #require(Sockets.localAddress(of: listener.rawValue)?.port)
        listener.close()
        var configuration = BelfryClient.Configuration(url: "ws://localhost:\(port)/") { "t" }
        configuration.backoff = Backoff(minimum: .milliseconds(1), maximum: .milliseconds(2))
        let client = try BelfryClient(configuration)
        client.connect()
        var losses = 0
        for await state in client.states {
            if case .connecting(.lost) = state { losses += 1 }
            if losses == 3 { break }
        }
    }

    @Test func `releasing the client closes its connection and ends its streams`() async throws {
        let server = try TestServer { _, envelope in
            if case .connect = envelope.command { [.send([accepted(envelope)])] } else { [] }
        }
        defer { server.stop() }
        var client: BelfryClient? = try BelfryClient(configuration(server))
        let events = try #require(client?.events)
        client?.connect()
        try await client?.connected()
        client = nil
        for await _ in events { #expect(Bool(false), "no event was sent") }
    }
}
