import ArgumentParser
import Belfry
import BelfryClient
import Foundation

struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Connect as a user and print each event on a line: room, offset, JSON.")

    @Option(help: "The server's WebSocket address.")
    var url = "ws://127.0.0.1:8080/connection/websocket"

    @Option(help: "A user's token, as printed by belfry token.")
    var token: String

    @Option(help: "With wss: a PEM file of certificates to trust instead of the system's.")
    var trust: String?

    func run() async throws {
        let token = token
        let client: BelfryClient
        do throws(BelfryError) {
            var configuration = BelfryClient.Configuration(url: url) { token }
            if let trust { configuration.trustedAuthorities = try TrustedAuthorities(file: trust) }
            client = try BelfryClient(configuration)
        } catch {
            throw ValidationError("\(error)")
        }
        let states = client.states
        let events = client.events
        client.connect()
        // A task prints events while this loop prints connection states; a final disconnect ends both.
        let printing = Task { for await event in events { Self.show(event) } }
        defer { printing.cancel() }
        var hasStarted = false
        for await state in states {
            switch state {
            case .connecting(nil): hasStarted = true
            case .connecting(let reason?): report("reconnecting after \(reason)")
            case .connected(let info): report("connected as \(info.user?.id.rawValue ?? "?")")
            case .disconnected(let reason):
                // The first state is the one before `connect()`.
                guard hasStarted else { continue }
                report("disconnected: \(reason)")
                throw ExitCode.failure
            }
        }
    }

    private func report(_ text: String) {
        FileHandle.standardError.write(Data("belfry: \(text)\n".utf8))
    }

    private static func show(_ event: ClientEvent) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        switch event {
        case .event(let event):
            let json = (try? encoder.encode(event.event)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
            write(event.room, event.offset.map { "\($0)" } ?? "-", json)
        case .unknown(let room, let offset, let json):
            write(room, offset.map { "\($0)" } ?? "-", String(decoding: json, as: UTF8.self))
        case .subscribed(let room, let recovered, let wasRecovering):
            write(room, "-", wasRecovering && !recovered ? "subscribed, events were missed" : "subscribed")
        case .unsubscribed(let room): write(room, "-", "unsubscribed")
        case .gap(let room, let expected, let received):
            write(room, "-", "gap: expected \(expected), received \(received)")
        }
    }

    private static func write(_ room: Room, _ offset: String, _ text: String) {
        FileHandle.standardOutput.write(Data("\(room) \(offset) \(text)\n".utf8))
    }
}
