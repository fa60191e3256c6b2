#if Cluster
import ChildProcesses
import Foundation
import LiveServers
import NATS
import Replication
import Synchronization
import Testing

@Suite(.enabled(if: NATSServer.program != nil, "BELFRY_NATS_SERVER names no server"))
struct NATSBusTests {
    private let server: NATSServer
    private let clients: [Client]
    private let ann: NATSBus
    private let bob: NATSBus

    init() throws {
        let server = try NATSServer { _ in "" }
        self.server = server
        clients = try (0..<2).map { _ in try Client([server]) }
        ann = try NATSBus(clients[0].connection, cluster: "test", incarnation: 1)
        bob = try NATSBus(clients[1].connection, cluster: "test", incarnation: 1)
    }

    /// - Parameter milliseconds: How long to wait for the reply. Without it, asks again if a starved server lost the
    ///   connection.
    private func ask(_ bus: NATSBus, _ subject: String, _ text: String = "", milliseconds: Int? = nil) async -> BusReply
    {
        while true {
            let reply = await result {
                bus.request(Array(text.utf8), to: subject, milliseconds: milliseconds ?? 60_000, $0)
            }
            if reply != .silence || milliseconds != nil { return reply }
        }
    }

    @Test func `a request is answered`() async throws {
        let service = bob.serve("echo") { message, reply in reply?(message + message) }
        try await eventually { await ask(ann, "echo", "hi") == .reply(Array("hihi".utf8)) }
        #expect(await ask(bob, "echo", "ho") == .reply(Array("hoho".utf8)))
        #expect(await ask(ann, "echo") == .reply([]))
        withExtendedLifetime(service) {}
    }

    @Test func `a request that nobody serves fails at once`() async throws {
        #expect(await ask(ann, "nothing") == .nobody)
    }

    @Test func `a request without a reply ends in silence`() async throws {
        let received = Received<[UInt8]>()
        let service = bob.serve("silent") { message, _ in received.append(message) }
        try await eventually {
            // The first ones may be lost, because there is no connection yet.
            let reply = await ask(ann, "silent", "hi", milliseconds: 100)
            #expect([.silence, .nobody].contains(reply))
            return !received.all.isEmpty
        }
        #expect(await ask(ann, "silent", "hi", milliseconds: 100) == .silence)
        withExtendedLifetime(service) {}
    }

    @Test func `a publication reaches all who serve its subject`() async throws {
        let received = [Received<[UInt8]>(), Received(), Received()]
        let services = [
            ann.serve("news") { message, reply in received[0].append(reply == nil ? message : []) },
            bob.serve("news") { message, reply in received[1].append(reply == nil ? message : []) },
            bob.serve("other") { message, _ in received[2].append(message) },
        ]
        // Requests on the same connections follow the subscriptions.
        for bus in [ann, bob] { #expect(await ask(bus, "nothing") == .nobody) }
        ann.publish([1, 2], to: "news")
        ann.publish([], to: "news")
        try await eventually { received[0].all.count == 2 && received[1].all.count == 2 }
        #expect(received.map(\.all) == [[[1, 2], []], [[1, 2], []], []])
        withExtendedLifetime(services) {}
    }

    @Test func `messages that arrive together are received in order, whatever their size`() async throws {
        let received = Received<[UInt8]>()
        let service = bob.serve("news") { message, _ in received.append(message) }
        for bus in [ann, bob] { #expect(await ask(bus, "nothing") == .nobody) }
        let messages = (0..<200).map { [UInt8](repeating: UInt8($0), count: $0 % 50 == 0 ? 100_000 : $0) }
        for message in messages { ann.publish(message, to: "news") }
        try await eventually { received.all.count == messages.count }
        #expect(received.all == messages)
        withExtendedLifetime(service) {}
    }

    @Test func `what receives a message may end its subscription`() async throws {
        let received = Received<[UInt8]>()
        let service = Mutex<(any BusSubscription)?>(nil)
        func begin() -> any BusSubscription {
            bob.serve("news") { message, _ in
                received.append(message)
                let ended = service.withLock { $0.take() }
                withExtendedLifetime(ended) {}
            }
        }
        // Nothing else refers to the subscription.
        service.withLock { $0 = begin() }
        for bus in [ann, bob] { #expect(await ask(bus, "nothing") == .nobody) }
        for number in 1...3 { ann.publish([UInt8(number)], to: "news") }
        try await eventually { received.all.count >= 1 }
        #expect(await ask(bob, "nothing") == .nobody)
        ann.publish([9], to: "news")
        for bus in [ann, bob] { #expect(await ask(bus, "nothing") == .nobody) }
        #expect(received.all.first == [1] && !received.all.contains([9]))
    }

    @Test func `a message that says that nobody answers does not delay the next one`() async throws {
        let received = Received<[UInt8]>()
        let service = bob.serve("news") { message, _ in received.append(message) }
        for bus in [ann, bob] { #expect(await ask(bus, "nothing") == .nobody) }
        let subject = "belfry.test.1.bus.news"
        let status = "HPUB \(subject) 16 16\\r\\nNATS/1.0 503\\r\\n\\r\\n\\r\\n"
        let next = "PUB \(subject) 2\\r\\nhi\\r\\n"
        let peer = try ChildProcess(
            "bash",
            [
                "-c",
                "exec 3<>/dev/tcp/127.0.0.1/\(server.port)"
                    + #"; printf 'CONNECT {"headers":true,"no_responders":true}\r\n"# + status + next
                    + #"PING\r\n' >&3; timeout 10 grep -qm 1 PONG <&3"#,
            ])
        defer { peer.waitUntilExit() }
        try await eventually { received.all.last == Array("hi".utf8) }
        withExtendedLifetime(service) {}
    }

    @Test func `a released subscription ends`() async throws {
        let received = Received<[UInt8]>()
        var service: (any BusSubscription)? = bob.serve("echo") { message, reply in
            received.append(message)
            reply?(message)
        }
        #expect(await ask(bob, "echo", "hi") == .reply(Array("hi".utf8)))
        withExtendedLifetime(service) {}
        service = nil
        #expect(await ask(bob, "echo", "hi") == .nobody)
        #expect(received.all.count == 1)
    }

    @Test func `clusters do not hear each other`() async throws {
        let other = try NATSBus(clients[1].connection, cluster: "other", incarnation: 1)
        let service = other.serve("echo") { message, reply in reply?(message) }
        #expect(await ask(other, "echo") == .reply([]))
        #expect(await ask(ann, "echo") == .nobody)
        withExtendedLifetime(service) {}
    }

    @Test func `a subscription survives a restart of the server`() async throws {
        let service = bob.serve("echo") { message, reply in reply?(message) }
        try await eventually { await ask(ann, "echo", "hi") == .reply(Array("hi".utf8)) }
        server.kill()
        try await eventually { clients.allSatisfy { $0.failure != nil } }
        // It waits for the connection.
        async let reply = ask(ann, "echo", "ho")
        try server.start()
        #expect([.reply(Array("ho".utf8)), .nobody].contains(await reply))
        try await eventually { await ask(ann, "echo", "hi") == .reply(Array("hi".utf8)) }
        withExtendedLifetime(service) {}
    }

    @Test func `a request to a dead server ends in silence`() async throws {
        #expect(await ask(ann, "nothing") == .nobody)
        server.kill()
        #expect(await ask(ann, "nothing", milliseconds: 100) == .silence)
    }

    @Test func `too many requests end in silence`() async throws {
        server.kill()
        try await eventually { clients[0].failure != nil }
        let message = [UInt8](repeating: 0, count: 1 << 20)
        let replies = Received<BusReply>()
        for _ in 0..<40 { ann.request(message, to: "nothing", milliseconds: 3_600_000) { replies.append($0) } }
        // All but those that fit into the buffer of unsent requests.
        try await eventually { replies.all.count == 25 }
        #expect(replies.all.allSatisfy { $0 == .silence })
    }
}
#endif
