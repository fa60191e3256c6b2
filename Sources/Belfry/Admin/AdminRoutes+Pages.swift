import ChatDomain
import ChatModel
import Gateway
import Transport
import WireProtocol

/// `/connections` and `/rooms`: paginated, each page with a link to the next.
extension AdminRoutes {
    private static let defaultLimit = 100
    private static let maxLimit = 1_000

    /// Returns connections ordered by loop, then by the time they were accepted.
    static func connections(_ server: Server, _ query: AdminQuery) async throws -> RouteResponse {
        let limit = try query.number("limit", in: 1...maxLimit, default: defaultLimit)
        let after = try query.value("after", "the id of a connection") { ConnectionID($0) }
        var page: [ConnectionFigures] = []
        for (index, loop) in server.servers.enumerated() where index >= after?.loop ?? 0 {
            // One extra row shows whether there is a next page.
            guard page.count <= limit else { break }
            let serial = index == after?.loop ? after?.serial ?? 0 : 0
            page += await loop.connections(after: serial, limit: limit + 1 - page.count)
        }
        return answer("connections", page, limit, json) { $0.id.description }
    }

    /// Returns channels ordered by id, then inboxes ordered by user.
    static func rooms(_ server: Server, _ query: AdminQuery) async throws -> RouteResponse {
        let limit = try query.number("limit", in: 1...maxLimit, default: defaultLimit)
        let after = try query.value("after", "the name of a room") { Room(name: $0) }
        var loops: [[RoomFigures]] = []
        for loop in server.servers { loops.append(await loop.rooms(after: after, limit: limit + 1)) }
        return answer("rooms", RoomFigures.merged(loops, limit: limit + 1), limit, json) { $0.room.name }
    }

    private static func answer<Row>(
        _ name: String, _ rows: [Row], _ limit: Int, _ json: (Row) -> [UInt8], place: (Row) -> String
    ) -> RouteResponse {
        var writer = JSONWriter()
        let page = rows.prefix(limit)
        writer.object { object in
            object.array(name, page.map(json))
            if rows.count > limit, let last = page.last {
                object.field("next", "/\(name)?after=\(PercentEncoding.encode(place(last)))&limit=\(limit)")
            }
        }
        return .json(bytes: writer.bytes)
    }

    private static func json(_ connection: ConnectionFigures) -> [UInt8] {
        var writer = JSONWriter(capacity: 192)
        writer.object { object in
            object.field("id", connection.id.description)
            if let user = connection.user { object.field("user", user.rawValue) }
            if let address = connection.address { object.field("address", address) }
            object.field("since", connection.since)
            object.field("subscriptions", Int64(connection.subscriptions))
            object.field("queued_bytes", Int64(connection.queuedBytes))
            object.field("protocol", connection.isWebSocket ? "ws" : "http")
            object.field("tls", connection.entrance == .tls)
            object.field("admin", connection.entrance == .admin)
        }
        return writer.bytes
    }

    private static func json(_ room: RoomFigures) -> [UInt8] {
        var writer = JSONWriter(capacity: 96)
        writer.object { object in
            object.field("room", room.room.name)
            object.field("subscribers", Int64(room.subscribers))
            object.field("publications", room.publications)
        }
        return writer.bytes
    }
}
