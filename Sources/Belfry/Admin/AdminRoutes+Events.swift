import API
import ChatEngine
import ChatModel
import HTTPTypes
import WireProtocol

/// `/events`: streams durable events as lines of JSON until the client disconnects or its key no longer permits it.
extension AdminRoutes {
    static func events(_ server: Server, _ key: NamedKey?, _ query: AdminQuery) throws -> RouteResponse {
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
                let step = try await tail.next()
                // The key may have expired, or been removed by a reload, since the last event.
                guard mayRead(key, in: server.keys.ring) else { return }
                switch step {
                case .event(let event): try await writer.write(line(event))
                case .missed(let count): return try await writer.write("{\"missed\":\(count)}\n")
                case .ended: return
                }
            }
        }
    }

    /// Returns whether the key is still accepted and has the scope read. Its id does not matter, because another key may
    /// have taken it over.
    private static func mayRead(_ key: NamedKey?, in keys: KeyRing) -> Bool {
        guard let key else { return false }
        let now = WallClock.milliseconds()
        return keys.current.contains { $0.hasKey(of: key) && $0.scopes.contains(.read) && !$0.isExpired(at: now) }
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
