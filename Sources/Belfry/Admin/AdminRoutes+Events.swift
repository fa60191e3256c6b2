import ChatEngine
import ChatModel
import HTTPTypes
import WireProtocol

/// `/events`: streams durable events as lines of JSON until the client disconnects.
extension AdminRoutes {
    static func events(_ server: Server, _ query: AdminQuery) throws -> RouteResponse {
        var filter = EventTails.Filter()
        filter.channel = try query.value("channel", "the id of a channel") { ChannelID($0) }
        filter.type = try query.value("type", "the type of an event") { EventType(rawValue: $0) }
        let tail: EventTail
        do throws(EventTails.Refusal) {
            tail = try server.tap.tails.tail(filter)
        } catch {
            var answer = RouteResponse.text("too many tails are open: close one\n", status: .serviceUnavailable)
            answer.head.headerFields[.retryAfter] = "1"
            return answer
        }
        return RouteResponse(.ok, headerFields: [.contentType: "application/x-ndjson"]) { writer in
            while true {
                switch try await tail.next() {
                case .event(let event): try await writer.write(line(event))
                case .missed(let count): return try await writer.write("{\"missed\":\(count)}\n")
                case .ended: return
                }
            }
        }
    }

    private static func line(_ event: TappedEvent) -> [UInt8] {
        var writer = JSONWriter(capacity: event.json.count + 128)
        writer.object { object in
            object.field("position", DurableEvent.Position(event.position).description)
            object.field("room", event.room.name)
            object.field("offset", event.offset)
            object.raw("event", event.json)
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
