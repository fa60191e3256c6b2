/// The Centrifuge protocol's own envelopes, to the extent that Belfry implements them.
enum EnvelopeSchemas {
    typealias Sample = (schema: JSONValue, example: JSONValue)

    static let id: JSONValue = ["type": "integer", "minimum": 1, "maximum": 4_294_967_295]

    /// Returns an object schema. `properties` are required, and additional ones are allowed.
    static func object(_ properties: JSONValue, optional: JSONValue = [:]) -> JSONValue {
        guard case .object(let fields) = properties else { return ["type": "object"] }
        return [
            "type": "object", "properties": properties.with(optional),
            "required": .list(fields.map { .text($0.0) }),
        ]
    }

    /// `{"id":7,"<name>":…}`
    static func numbered(_ name: String, _ content: JSONValue) -> JSONValue {
        object(.object([("id", id), (name, content)]))
    }

    /// `{"push":{"channel":…,"pub":{"offset":…,"data":…}}}`
    static func publication(_ data: JSONValue) -> JSONValue {
        object([
            "push": object([
                "channel": reference("Room"),
                "pub": object(["data": data], optional: ["offset": reference("Offset")]),
            ])
        ])
    }

    private static func reference(_ name: String) -> JSONValue { SchemaWriter.reference(name) }

    private static let seconds: JSONValue = ["type": "integer", "minimum": 0, "description": "Seconds."]
    private static let text: JSONValue = ["type": "string"]
    private static let flag: JSONValue = ["type": "boolean"]

    static let all: [(String, JSONValue)] = [
        (
            "Room",
            ["type": "string", "description": "A channel's id, or # and a user id: that person's inbox."]
        ),
        (
            "Offset",
            [
                "type": "integer", "minimum": 0,
                "description": "1, 2, 3 and so on in a room; absent in transient events.",
            ]
        ),
        (
            "Recovery",
            object([:], optional: ["recover": flag, "offset": reference("Offset"), "epoch": text])
        ),
        (
            "Subscription",
            object(
                ["recoverable": flag, "positioned": flag, "epoch": text, "offset": reference("Offset")],
                optional: [
                    "was_recovering": flag, "recovered": flag,
                    "publications": [
                        "type": "array",
                        "items": object(["offset": reference("Offset"), "data": reference("TypedEvent")]),
                    ],
                ])
        ),
    ]

    private static let position: JSONValue = [
        "recoverable": true, "positioned": true, "epoch": "k3", "offset": 41,
    ]
    private static let empty: Sample = (["type": "object"], [:])

    static let protocolCalls: [(name: String, request: Sample, reply: Sample)] = [
        (
            "connect",
            (
                object(
                    [:],
                    optional: [
                        "token": text,
                        "data": object([:], optional: ["subscribe": ["enum": ["joined", "none"]]]),
                        "subs": ["type": "object", "additionalProperties": reference("Recovery")],
                    ]),
                ["token": "eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "data": ["subscribe": "joined"]]
            ),
            (
                object(
                    [
                        "client": text, "version": text, "session": text, "node": text, "ping": seconds, "pong": flag,
                        "data": object(
                            [
                                "user": reference("User"), "protocol_version": ["type": "integer"], "emoji_hash": text,
                                "unread": reference("UnreadTotals"),
                            ]),
                        "subs": ["type": "object", "additionalProperties": reference("Subscription")],
                    ], optional: ["expires": flag, "ttl": seconds]),
                [
                    "client": "c1", "version": "0.1.0", "session": "s1", "node": "n1", "ping": 25, "pong": true,
                    "data": [
                        "user": ["id": "ann", "nickname": "Ann", "online": true], "protocol_version": 1,
                        "emoji_hash": "1f0c3a",
                        "unread": [
                            "unread_count": 3, "unread_mention_count": 1, "unread_channel_count": 2,
                            "unread_thread_count": 1, "unread_reply_count": 4,
                        ],
                    ],
                    "subs": ["#ann": position],
                ]
            )
        ),
        (
            "subscribe",
            (
                object(
                    ["channel": reference("Room")],
                    optional: ["recover": flag, "offset": reference("Offset"), "epoch": text]),
                ["channel": "general", "recover": true, "offset": 41, "epoch": "k3"]
            ),
            (reference("Subscription"), position)
        ),
        ("unsubscribe", (object(["channel": reference("Room")]), ["channel": "general"]), empty),
        (
            "refresh", (object(["token": text]), ["token": "eyJhbGciOiJIUzI1NiJ9.e30.c2ln"]),
            (
                object(["client": text, "version": text], optional: ["expires": flag, "ttl": seconds]),
                ["client": "c1", "version": "0.1.0", "expires": true, "ttl": 3600]
            )
        ),
        ("ping", empty, empty),
    ]

    static let pushes: [(name: String, schema: JSONValue, example: JSONValue, summary: String)] = [
        (
            "room.gained",
            object([
                "push": object(["channel": reference("Room"), "subscribe": reference("Subscription")])
            ]),
            ["push": ["channel": "general", "subscribe": position]],
            "The connection gains a room, before the room's events."
        ),
        (
            "room.lost",
            object([
                "push": object([
                    "channel": reference("Room"),
                    "unsubscribe": object(["code": ["type": "integer"], "reason": text]),
                ])
            ]),
            ["push": ["channel": "general", "unsubscribe": ["code": 2000, "reason": "server unsubscribe"]]],
            "The connection loses a room; nothing of it comes after."
        ),
        (
            "server.ping", ["type": "object", "maxProperties": 0], [:],
            "The server's ping, to be answered with the same."
        ),
    ]
}
