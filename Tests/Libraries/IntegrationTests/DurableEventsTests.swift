import Belfry
import ChatModel
import Foundation
import Logging
import Testing

/// Durable events received inside the process.
@Suite(.timeLimit(.minutes(3))) struct DurableEventsTests {
    private func send(_ texts: [String], on server: Server) async throws {
        let general = try #require(ChannelID("general"))
        if (try? await server.call(GetChannel(channelID: general), as: .user("ann"))) == nil {
            _ = try await server.call(CreateChannel(id: general), as: .user("ann"))
        }
        for text in texts { _ = try await server.call(SendMessage(channelID: general, text: text), as: .user("ann")) }
    }

    private func messages(_ events: [DurableEvent]) throws -> [String] {
        try events.filter { $0.type == .messageNew }.map { try $0.decoded().message?.text ?? "" }
    }

    /// Returns all events until the server has stopped.
    private func rest(of events: DurableEvents) async throws -> [DurableEvent] {
        try await events.reduce(into: []) { $0.append($1) }
    }

    @Test func `events arrive in journal order, each once, until the server stops`() async throws {
        let test = try await TestServer()
        let events = try test.server.events()
        try await send((0..<50).map(String.init), on: test.server)
        await test.stop()
        let heard = try await rest(of: events)
        #expect(try messages(heard) == (0..<50).map(String.init))
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0.position < $1.position })
        let offsets = heard.filter { $0.room.name == "general" }.map(\.offset)
        #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $0 + 1 == $1 })
        for event in heard { #expect(DurableEvent.Position("\(event.position)") == event.position) }
        #expect(DurableEvent.Position("1") == nil && DurableEvent.Position("1.-1") == nil)
    }

    @Test func `after a restart a listener continues after its last event`() async throws {
        let folder = NSTemporaryDirectory() + "belfry-events-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func start() async throws -> Server {
            var configuration = Configuration(tokenSecret: TestServer.secret)
            (configuration.port, configuration.dataFolder, configuration.events.kept) = (0, folder, 1_000)
            configuration.loopCount = 1
            return try await Server(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        // A function, so that releasing the server frees the folder.
        func firstRun() async throws -> [DurableEvent] {
            let server = try await start()
            let events = try server.events()
            try await send(["a", "b", "c", "d"], on: server)
            await server.stop()
            return try await rest(of: events)
        }
        let heard = try await firstRun()
        let second = try await start()
        let b = try #require(heard.first { String(decoding: $0.json, as: UTF8.self).contains(#""text":"b""#) })
        let again = try second.events(from: b.position)
        let none = try second.events(from: heard.last?.position)
        #expect(throws: DurableEventsError.positionLost) {
            _ = try second.events(from: DurableEvent.Position("999999.0"))
        }
        try await send(["e"], on: second)
        await second.stop()
        let (missed, new) = (try await rest(of: again), try await rest(of: none))
        #expect(try messages(missed) == ["c", "d", "e"] && messages(new) == ["e"])
        let old = heard.drop { $0.position <= b.position }
        #expect(missed.prefix(old.count).map(\.position) == old.map(\.position))
        #expect(missed.prefix(old.count).map(\.json) == old.map(\.json))
    }

    @Test(arguments: [true, false])
    func `a listener that is too slow gets the events that fit, then an error`(byCount: Bool) async throws {
        let test = try await TestServer {
            if byCount { $0.events.waiting = 3 } else { $0.events.waitingBytes = 3_000 }
        }
        let events = try test.server.events()
        try await send((0..<30).map(String.init), on: test.server)
        var heard: [DurableEvent] = []
        await #expect(throws: DurableEventsError.tooSlow) {
            for try await event in events { heard.append(event) }
        }
        #expect(byCount ? heard.count == 3 : (1...29).contains(heard.count))
        #expect(try await test.metric("belfry_event_listeners_slow_total") == 1)
        #expect(try await test.metric("belfry_event_listeners") == 0)
        await test.stop()
    }

    @Test func `a request for events that are no longer kept fails`() async throws {
        let test = try await TestServer { $0.events.kept = 2 }
        let events = try test.server.events()
        try await send(["a", "b", "c", "d"], on: test.server)
        var positions: [DurableEvent.Position] = []
        for try await event in events {
            positions.append(event.position)
            if try event.decoded().message?.text == "d" { break }
        }
        for position in positions.dropLast(3) {
            #expect(throws: DurableEventsError.positionLost) { _ = try test.server.events(from: position) }
        }
        for position in positions.suffix(3) { _ = try test.server.events(from: position) }
        await test.stop()
    }

    @Test func `the number of listeners is limited, and releasing one makes room for another`() async throws {
        let test = try await TestServer { $0.events.listeners = 1 }
        var events: DurableEvents? = try test.server.events()
        #expect(throws: DurableEventsError.tooManyListeners) { _ = try test.server.events() }
        #expect(events != nil)
        events = nil
        let next = try test.server.events()
        let waiting = Task { try await rest(of: next) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        await test.stop()
    }
}
