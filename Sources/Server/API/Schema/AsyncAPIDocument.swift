import ChatModel
import WireProtocol

/// The WebSocket API as AsyncAPI 3.0: the Centrifuge protocol's envelopes with Belfry's commands and events.
///
/// The only channel is the connection; pushes name their room. A text frame contains one or more messages, one per
/// line.
package struct AsyncAPIDocument {
    private struct Entry {
        let name: String
        var key: String { AsyncAPIDocument.key(name) }
        let payload: JSONValue
        let example: JSONValue
        let summary: String
    }

    private let shapes: ChatShapes
    private let writer: SchemaWriter

    package init(_ shapes: ChatShapes) {
        self.shapes = shapes
        writer = SchemaWriter(components: shapes.components)
    }

    package var value: JSONValue {
        let entries = calls.flatMap { [$0.request, $0.reply] } + pushes + events + [refusal]
        return [
            "asyncapi": "3.0.0",
            "info": [
                "title": "Belfry", "version": .text(APIDocuments.version), "license": ["name": "Apache License 2.0"],
                "description": """
                The Centrifuge client protocol in its JSON form, with the chat's commands as RPCs and its events as \
                publications. A text frame holds one or more messages, one per line. Times are milliseconds since \
                1970. The Protobuf form of the protocol carries the same messages in binary frames.
                """,
            ],
            "defaultContentType": "application/json",
            "servers": [
                "belfry": [
                    "host": "127.0.0.1:8080", "protocol": "ws",
                    "security": [["$ref": "#/components/securitySchemes/token"]],
                ]
            ],
            "channels": [
                "connection": [
                    "address": .text(HTTPRoute.webSocketPath),
                    "messages": .object(
                        entries.map { ($0.key, ["$ref": .text("#/components/messages/" + $0.key)]) }),
                ]
            ],
            "operations": .object(
                calls.map { (Self.key($0.name), operation($0)) } + [
                    ("events", sendOperation(events)), ("pushes", sendOperation(pushes)),
                ]),
            "components": [
                "messages": .object(entries.map { ($0.key, message($0)) }),
                "schemas": writer.schemas.with(
                    .object(ErrorSchema.schemas + EnvelopeSchemas.all + eventSchemas)),
                "securitySchemes": [
                    "token": [
                        "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                        "description": "In connect.token, or as Authorization: Bearer on the upgrade.",
                    ]
                ],
            ],
        ]
    }

    /// Converts a name to the characters allowed in AsyncAPI keys: letters, digits, `-` and `_`. The message's own
    /// `name` is unchanged.
    static func key(_ name: String) -> String { name.split(separator: ".").joined(separator: "_") }

    // MARK: Operations

    private struct Call {
        let name: String
        let request: Entry
        let reply: Entry
    }

    private static func reference(_ entry: Entry) -> JSONValue {
        ["$ref": .text("#/channels/connection/messages/" + entry.key)]
    }

    private static let connection: JSONValue = ["$ref": "#/channels/connection"]

    private func operation(_ call: Call) -> JSONValue {
        [
            "action": "receive", "channel": Self.connection, "messages": [Self.reference(call.request)],
            "reply": [
                "channel": Self.connection, "messages": [Self.reference(call.reply), Self.reference(refusal)],
            ],
        ]
    }

    private func sendOperation(_ entries: [Entry]) -> JSONValue {
        ["action": "send", "channel": Self.connection, "messages": .list(entries.map(Self.reference))]
    }

    private func message(_ entry: Entry) -> JSONValue {
        [
            "name": .text(entry.name), "summary": .text(entry.summary), "payload": entry.payload,
            "examples": [["payload": entry.example]],
        ]
    }

    // MARK: Messages

    private var calls: [Call] {
        let rpcs = shapes.commands.filter { $0.callers == .users || $0.callers == .anyone }.map { command in
            Call(
                name: command.method,
                request: Entry(
                    name: command.method + ".request",
                    payload: EnvelopeSchemas.numbered(
                        "rpc",
                        EnvelopeSchemas.object(
                            ["method": ["const": .text(command.method)], "data": writer.schema(command.request)])),
                    example: [
                        "id": 7,
                        "rpc": ["method": .text(command.method), "data": writer.example(command.request)],
                    ], summary: "The command \(command.method)."),
                reply: Entry(
                    name: command.method + ".reply",
                    payload: EnvelopeSchemas.numbered(
                        "rpc", EnvelopeSchemas.object(["data": writer.schema(command.response)])),
                    example: ["id": 7, "rpc": ["data": writer.example(command.response)]],
                    summary: "The response to \(command.method)."))
        }
        return EnvelopeSchemas.protocolCalls.map { name, request, reply in
            Call(
                name: name,
                request: Entry(
                    name: name + ".request", payload: EnvelopeSchemas.numbered(name, request.schema),
                    example: .object([("id", 1), (name, request.example)]), summary: "The protocol's \(name)."),
                reply: Entry(
                    name: name + ".reply", payload: EnvelopeSchemas.numbered(name, reply.schema),
                    example: .object([("id", 1), (name, reply.example)]), summary: "The reply to \(name)."))
        } + rpcs
    }

    private var refusal: Entry {
        Entry(
            name: "error",
            payload: EnvelopeSchemas.object([
                "id": EnvelopeSchemas.id, "error": SchemaWriter.reference("Error"),
            ]),
            example: JSONValue.object([("id", 7)]).with(ErrorSchema.example(.notAMember)),
            summary: "A command was refused.")
    }

    private var pushes: [Entry] {
        EnvelopeSchemas.pushes.map {
            Entry(name: $0.name, payload: $0.schema, example: $0.example, summary: $0.summary)
        }
    }

    private var eventProperties: [Component.Property] { shapes.components["TypedEvent"]?.properties ?? [] }

    private var eventSchemas: [(String, JSONValue)] {
        EventType.allCases.map { (EventSchema.name($0), EventSchema.schema($0, eventProperties)) }
    }

    private var events: [Entry] {
        EventType.allCases.map { type in
            Entry(
                name: type.rawValue,
                payload: EnvelopeSchemas.publication(SchemaWriter.reference(EventSchema.name(type))),
                example: [
                    "push": [
                        "channel": "general",
                        "pub": ["offset": 42, "data": EventSchema.example(type, writer, eventProperties)],
                    ]
                ], summary: "The event \(type.rawValue).")
        }
    }
}
