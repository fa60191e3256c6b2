import BelfryClient
import Foundation

struct Conversation {
    let client: BelfryClient
    let channel: ChannelID

    init(url: String, channel: ChannelID, token: @escaping @Sendable () async throws -> String) throws {
        client = try BelfryClient(BelfryClient.Configuration(url: url, token: token))
        self.channel = channel
    }

    /// Hears the channel until the task is cancelled. What stood there before, and what was missed for good, is fetched.
    func listen(_ show: @escaping @Sendable (Message) -> Void) async {
        let events = client.events
        client.connect()
        for await event in events {
            switch event {
            case .subscribed(.channel(channel), recovered: false, wasRecovering: _):
                // In a task of its own: answers wait behind events that are not taken.
                Task { for message in try await latest() { show(message) } }
            case .event(let heard) where heard.room == .channel(channel) && heard.event.type == .messageNew:
                if let message = heard.event.message { show(message) }
            default:
                continue
            }
        }
    }

    func latest() async throws -> [Message] {
        try await client.call(ListMessages(channelID: channel)).messages
    }

    /// - Throws: `BelfryError` when the server refuses, or when it cannot be reached for a while.
    func send(_ text: String) async throws -> Message {
        let request = SendMessage(channelID: channel, text: text, clientID: UUID().uuidString)
        for pause in [1, 2, 4, 8] {
            do {
                return try await client.call(request).message
            } catch let error as BelfryError where error.isTemporary {
                // The same request again: however often it arrives, it is one message.
                try await Task.sleep(for: .seconds(pause))
            }
        }
        return try await client.call(request).message
    }
}
