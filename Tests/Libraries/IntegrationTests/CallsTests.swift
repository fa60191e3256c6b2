import Belfry
import ChatModel
import Testing

/// Commands called from inside the process.
@Suite(.timeLimit(.minutes(3))) struct CallsTests {
    private let general = ChannelID("general")

    @Test func `an in-process call is durable and published like any other command`() async throws {
        let test = try await TestServer()
        let (server, general) = (test.server, try #require(general))
        let ann = try #require(UserID("ann"))
        _ = try await server.call(CreateChannel(id: general, isPublic: true), as: .user(ann))
        let bob = try await test.connect("bob")
        _ = try await server.call(JoinChannel(channelID: general), as: .user("bob"))
        let sent = try await server.call(SendMessage(channelID: general, text: "hello"), as: .user(ann))
        #expect(sent.message.text == "hello" && sent.message.user?.id == ann)
        #expect(try await bob.pushesUntilNow().map(\.pushed).contains("general message.new"))
        _ = try await server.call(StartTyping(channelID: general), as: .user(ann))
        let list = try await server.call(ListMessages(channelID: general), as: .server)
        #expect(list.messages.last?.id == sent.message.id)
        let token = try await server.call(CreateToken(userID: ann), as: .server).token
        #expect(token.split(separator: ".").count == 3)
        await test.stop()
    }

    @Test func `in-process calls follow the same rules as every other entry point`() async throws {
        let test = try await TestServer()
        let (server, general) = (test.server, try #require(general))
        func code(_ body: () async throws -> Void) async -> ErrorCode? {
            do { try await body() } catch { return (error as? Rejection)?.code }
            return nil
        }
        let send = SendMessage(channelID: general, text: "hello")
        #expect(await code { _ = try await server.call(send, as: .user("ann")) } == .notFound)
        #expect(await code { _ = try await server.call(ListWebhooks(), as: .user("ann")) } == .serverOnly)
        #expect(await code { _ = try await server.call(MarkAllRead(), as: .server) } == .badRequest)
        #expect(await code { _ = try await server.call(send, as: .user("")) } == .invalidValue)
        var loud = send
        loud.criticalAlert = CriticalAlert(name: "bell", volume: .nan)
        #expect(await code { _ = try await server.call(loud, as: .user("ann")) } == .badRequest)
        let huge = SendMessage(channelID: general, text: String(repeating: "x", count: 1_100_000))
        #expect(await code { _ = try await server.call(huge, as: .user("ann")) } == .tooLong)
        await test.stop()
        #expect(await code { _ = try await server.call(ListWebhooks(), as: .server) } == .storageUnavailable)
    }
}
