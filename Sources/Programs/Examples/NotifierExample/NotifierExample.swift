import Belfry
import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle

/// A shop that announces paid orders in a chat channel.
@main
struct NotifierExample {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let logger = Logger(label: "notifier")
        let shopKey = environment["SHOP_KEY"] ?? "demo-shop-key"
        var configuration = Configuration()
        configuration.port = UInt16(environment["PORT"] ?? "") ?? 8080
        configuration.dataFolder = environment["DATA"] ?? "notifier-data"
        configuration.authenticate = { credentials in
            let token = credentials.token ?? ""
            return token.hasPrefix("demo-") ? .user(String(token.dropFirst(5))) : .refused
        }
        configuration.routes.on(.post, .prefix("/orders/")) { request, _ in
            guard let field = HTTPField.Name("X-Shop-Key"), request.headerFields[field] == shopKey else {
                return .text("wrong X-Shop-Key\n", status: .forbidden)
            }
            let parts = (request.path ?? "").prefix { $0 != "?" }.split(separator: "/")
            guard parts.count == 3, parts[2] == "paid" else { return .text("no such path\n", status: .notFound) }
            try await announce("order \(parts[1]) was paid")
            return .text("told\n")
        }
        let server = try await Server(configuration, logger: logger)
        // Services stop in reverse order, so the printer still receives events while the server drains.
        let group = ServiceGroup(
            services: [Printer(events: try server.events()), server],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }

    static func announce(_ text: String) async throws {
        guard let server = Server.current, let orders = ChannelID("orders") else { return }
        do throws(Rejection) {
            _ = try await server.call(CreateChannel(id: orders, isPublic: true), as: .server)
        } catch {
            guard error.code == .duplicateChannelID else { throw error }
        }
        _ = try await server.call(SendMessage(channelID: orders, text: text, kind: .admin), as: .server)
    }
}

struct Printer: Service {
    let events: DurableEvents

    func run() async throws {
        for try await event in events where event.type == .messageNew {
            puts("\(event.room) \(event.offset) \(try event.decoded().message?.text ?? "")")
            fflush(nil)
        }
        try? await gracefulShutdown()  // A service must not return before the shutdown.
    }
}
