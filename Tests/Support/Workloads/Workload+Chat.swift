import ChatDomain
import ChatEngine
import ChatModel
import Records
import WebSocketCodec
import WireProtocol

extension Workload {
    /// Creates a channel of 100 users.
    private static func crowd() throws -> BenchmarkChat {
        var chat = BenchmarkChat()
        let people = (0..<100).map(user)
        for person in people { chat.admit(person) }
        try chat.run(CreateChannel(id: channel(0), userIDs: people, isPublic: true), as: .server)
        return chat
    }

    private static func message(_ number: Int) -> SendMessage {
        SendMessage(
            channelID: channel(0), text: String(decoding: usualText, as: UTF8.self), clientID: "client-\(number)",
            parentMessageID: nil)
    }

    /// Returns the event, records and response of one message.send.
    static func sent() throws -> (event: TypedEvent, records: [Record], response: MessageResponse) {
        var chat = try crowd()
        var events: [TypedEvent] = []
        var records: [Record] = []
        chat.caused = { effects in
            for case .announce(let announcement) in effects { events.append(announcement.event) }
        }
        chat.written = { records = $0 }
        let response = try chat.run(message(0), as: .user(user(0)))
        guard let event = events.first else { throw Unexpected() }
        return (event, records, response)
    }

    static let chat = [
        Workload("chat: message.send, decide and evolve") {
            var (chat, number) = (try crowd(), 0)
            return {
                number += 1
                try chat.run(message(number), as: .user(user(number % 100)))
            }
        },
        Workload("chat: reaction.add and reaction.remove, decide and evolve") {
            var chat = try crowd()
            let id = try chat.run(message(0), as: .user(user(0))).message.id
            return {
                try chat.run(AddReaction(channelID: channel(0), messageID: id, key: "sob"), as: .user(user(1)))
                try chat.run(RemoveReaction(channelID: channel(0), messageID: id, key: "sob"), as: .user(user(1)))
            }
        },
        Workload("chat: message.send and read.mark, decide and evolve") {
            var (chat, number) = (try crowd(), 0)
            return {
                number += 1
                try chat.run(message(number), as: .user(user(number % 100)))
                try chat.run(MarkRead(channelID: channel(0)), as: .user(user((number + 1) % 100)))
            }
        },
        Workload("event: encode as a frame for all") {
            let event = try sent().event
            return {
                let publication = Publication(offset: 7, data: WireEncoder().encode(event))
                let envelope = ServerEnvelope.publication(room: "channel-0", publication)
                keep(FrameEncoder.text(envelope.encoded(as: .json)))
            }
        },
        Workload("event: write as a frame of the Protobuf form") {
            let publication = Publication(offset: 7, data: WireEncoder().encode(try sent().event))
            return {
                let envelope = ServerEnvelope.publication(room: "channel-0", publication)
                var frame: [UInt8] = []
                FrameEncoder.append(.binary, payload: envelope.encoded(as: .protobuf), to: &frame)
                keep(frame)
            }
        },
        Workload("answer: encode as a frame") {
            let response = try sent().response
            return {
                let envelope = ServerEnvelope.rpc(id: 7, data: WireEncoder().encode(response))
                keep(FrameEncoder.text(envelope.encoded(as: .json)))
            }
        },
        Workload("records: encode those of message.send") {
            let records = try sent().records
            return { keep(RecordCoder.encode(records)) }
        },
    ]
}
