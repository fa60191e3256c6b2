import Belfry

/// The channel that everyone joins, managed by commands from inside the process.
enum Lobby {
    static func welcome(_ name: String) async throws {
        guard let server = Server.current, let lobby = ChannelID("lobby") else { return }
        do throws(Rejection) {
            _ = try await server.call(CreateChannel(id: lobby, isPublic: true), as: .user(name))
        } catch {
            guard error.code == .duplicateChannelID else { throw error }
            // The lobby may already exist, and the user may already be a member.
            _ = try? await server.call(JoinChannel(channelID: lobby), as: .user(name))
        }
        _ = try await server.call(SendMessage(channelID: lobby, text: "\(name) is here"), as: .user(name))
    }

    static func latest() async throws -> [String] {
        guard let server = Server.current, let lobby = ChannelID("lobby") else { return [] }
        return try await server.call(ListMessages(channelID: lobby), as: .server).messages.compactMap(\.text)
    }
}
