import BelfryClient
import ChatModel
import FoundationEssentials
import HTTPTypes
import LiveServers
import Synchronization
import TestSupport
import Testing

/// How many servers a live chat has.
protocol ServerCount: Sendable {
    static var count: Int { get }
}

enum OneServer: ServerCount {
    static let count = 1
}

/// The nodes of a cluster. Each user is connected to one of them, and each HTTP request goes to the next.
enum ThreeNodes: ServerCount {
    static let count = 3
}

/// Complete servers on free ports, called over their sockets. The seed decides between RPC over WebSocket, HTTP with
/// the user's token, and HTTP with the server key on the user's behalf.
final class LiveChat<Servers: ServerCount>: Driver {
    private enum Way: CaseIterable {
        case rpc, token, serverKey
    }

    /// The chat's clock, which only the script advances.
    private final class Clock: Sendable {
        let now = Atomic<Int64>(0)
    }

    private let seed: UInt64
    private let clock: Clock
    private let servers: LiveServers
    private var tokens: [UserID: String] = [:]
    private var clients: [UserID: BelfryClient] = [:]
    private var ears: [UserID: Ear] = [:]
    /// The server's ids by the script's ids, and the reverse, as the server creates its own.
    private var serversID: [String: String] = [:]
    private var scriptsID: [String: String] = [:]

    static var takesGuests: Bool { false }
    static var keepsTime: Bool { false }

    static func begin(_ rules: NaiveChat.Rules, seed: UInt64) async throws -> LiveChat {
        let chat = try await LiveChat(rules, seed: seed)
        try await chat.waitForVersion()
        for user in Cast.people { try await chat.connect(user) }
        return chat
    }

    private init(_ rules: NaiveChat.Rules, seed: UInt64) async throws {
        let clock = Clock()
        servers = try await LiveServers(Servers.count) { configuration in
            configuration.chat = rules.settings
            configuration.clock = { clock.now.load(ordering: .relaxed) }
        }
        for user in Cast.people { tokens[user] = try servers.token(for: user.rawValue) }
        self.seed = seed
        self.clock = clock
    }

    /// Waits until the nodes have heard which version each of them reads: until then, they refuse what older ones cannot
    /// read (1040).
    private func waitForVersion() async throws {
        guard Servers.count > 1 else { return }
        let rule = #"{"rules":[{"id":"begun","words":["begun"],"action":"mask"}]}"#
        for _ in 0..<600 {
            switch try await servers.post("text_rule.set", rule) {
            case .success:
                _ = try await servers.post("text_rule.delete", #"{"ids":["begun"]}"#).get()
                return
            case .failure(let refusal) where refusal.code == 1_040: try await Task.sleep(for: .milliseconds(50))
            case .failure(let refusal): throw refusal
            }
        }
        Issue.record("the nodes have not heard of each other")
    }

    func end() async {
        clients = [:]
        await servers.end()
    }

    /// The index of the server that a user is connected to.
    private func home(of user: UserID) -> Int { (Cast.people.firstIndex(of: user) ?? 0) % Servers.count }

    /// Has a node catch up with everything that any node has acknowledged: an HTTP query waits for that.
    private func catchUp(_ index: Int) async throws {
        guard Servers.count > 1 else { return }
        _ = try await servers.lines[index].post("/v1/\(ListEmojis.method)", "{}", LiveServers.key)
    }

    /// Has every connected client send a request, whose response follows everything sent before.
    func heard() async -> [UserID: Heard] {
        var heard: [UserID: Heard] = [:]
        for index in 0..<Servers.count { try? await catchUp(index) }
        for (user, client) in clients {
            _ = try? await client.rpc(method: ListEmojis.method, data: Array("{}".utf8))
            heard[user] = Heard()
            for publication in ears[user]?.takeAll() ?? [] {
                let json = Data(renamed(Data(publication.data), scriptsID).utf8)
                guard let room = Room(name: publication.room),
                    let event = try? JSONDecoder().decode(TypedEvent.self, from: json)
                else { continue }
                heard[user]?.hear(event, in: room)
            }
        }
        return heard
    }

    func listeners(of channel: ChannelID) -> Set<UserID>? { nil }

    private func connect(_ user: UserID) async throws {
        let token = tokens[user] ?? ""
        var configuration = BelfryClient.Configuration(
            url: "ws://127.0.0.1:\(servers.servers[home(of: user)].address.port)/connection/websocket",
            token: { token })
        configuration.commandTimeout = .seconds(600)
        configuration.connectTimeout = .seconds(120)
        configuration.maxServerPingDelay = .seconds(300)
        let ear = Ear()
        configuration.onPublication = { room, _, data in ear.hear(room, data) }
        let client = try BelfryClient(configuration)
        client.connect()
        try await client.connected()
        clients[user] = client
        ears[user] = ear
    }

    func reply(to request: any Request, by user: UserID?, now: Int64, fresh: MessageID) async -> Reply {
        clock.now.store(now, ordering: .relaxed)
        do {
            return try await run(request, user, fresh)
        } catch let error as BelfryError {
            return Reply(error.code >= 100 ? .refused(error.code) : .unknown("\(error)"))
        } catch {
            return Reply(.unknown("\(error)"))
        }
    }

    private func run<R: Request>(_ request: R, _ user: UserID?, _ fresh: MessageID) async throws -> Reply {
        let body = renamed(try JSONEncoder().encode(request), serversID)
        let data: Data
        switch (user, way(of: R.method, fresh)) {
        case (let user?, .rpc) where clients[user] != nil:
            guard let client = clients[user] else { return Reply(.unknown("\(user) is not connected")) }
            // A query over WebSocket may be older than what others have been told.
            try await catchUp(home(of: user))
            data = Data(try await client.rpc(method: R.method, data: Array(body.utf8)))
        case (let user?, .rpc), (let user?, .token):
            data = try await post(R.method, body, [.authorization: "Bearer \(tokens[user] ?? "")"])
        case (let user?, .serverKey):
            let name = "{\"as_user_id\":\"\(user)\"" + (body == "{}" ? "" : ",")
            data = try await post(R.method, name + body.dropFirst(), LiveServers.key)
        case (nil, _):
            data = try await post(R.method, body, LiveServers.key)
        }
        if request is SendMessage {
            let id = try JSONDecoder().decode(MessageResponse.self, from: data).message.id.description
            if scriptsID[id] == nil {
                scriptsID[id] = fresh.description
                serversID[fresh.description] = id
            }
        }
        // A deactivated user loses the connection, and gets a new one when reactivated.
        if let request = request as? DeactivateUser { clients[request.userID] = nil }
        if let request = request as? ActivateUser, clients[request.userID] == nil, tokens[request.userID] != nil {
            try await connect(request.userID)
        }
        let answer = Data(renamed(data, scriptsID).utf8)
        return Reply(answer: try JSONDecoder().decode(R.Response.self, from: answer))
    }

    /// Returns the way to send a step, which is the same whatever was removed from the script.
    private func way(of method: String, _ fresh: MessageID) -> Way {
        var random = SeededGenerator(seed: seed &+ fresh.low &* 1_000 &+ UInt64(method.utf8.count))
        return random.pick(Way.allCases)
    }

    private func post(_ method: String, _ body: String, _ fields: HTTPFields) async throws -> Data {
        switch try await servers.post(method, body, fields) {
        case .success(let answer): return Data(answer)
        case .failure(let refusal):
            throw BelfryError(code: refusal.code, message: refusal.message, isTemporary: false)
        }
    }

    /// Replaces ids in JSON, where an id is always a complete string.
    private func renamed(_ json: Data, _ names: [String: String]) -> String {
        String(decoding: json, as: UTF8.self).split(separator: "\"", omittingEmptySubsequences: false)
            .map { names[String($0)] ?? String($0) }.joined(separator: "\"")
    }
}
