import BelfryClient
import Foundation

struct Conversation {
    let client: BelfryClient
    let channel: ChannelID

    init(url: String, channel: ChannelID, token: @escaping @Sendable () async throws -> String) throws {
        client = try BelfryClient(BelfryClient.Configuration(url: url, token: token))
        self.channel = channel
    }

    /// Receives the channel's messages until the task is cancelled. Also fetches earlier messages and those that
    /// recovery missed.
    func listen(_ show: @escaping @Sendable (Message) -> Void) async {
        let events = client.events
        client.connect()
        for await event in events {
            switch event {
            case .subscribed(.channel(channel), recovered: false, wasRecovering: _):
                // In a separate task, because the reply arrives only after the pending events have been read.
                Task { for message in try await latest() { show(message) } }
            case .event(let received) where received.room == .channel(channel) && received.event.type == .messageNew:
                if let message = received.event.message { show(message) }
            default:
                continue
            }
        }
    }

    func latest() async throws -> [Message] {
        try await client.call(ListMessages(channelID: channel)).messages
    }

    /// - Throws: `BelfryError` if the server refuses the message or stays unreachable.
    func send(_ text: String) async throws -> Message {
        let request = SendMessage(channelID: channel, text: text, clientID: UUID().uuidString)
        for pause in [1, 2, 4, 8] {
            do {
                return try await client.call(request).message
            } catch let error as BelfryError where error.isTemporary {
                // Retrying with the same client id is safe: the server stores the message only once.
                try await Task.sleep(for: .seconds(pause))
            }
        }
        return try await client.call(request).message
    }
}
