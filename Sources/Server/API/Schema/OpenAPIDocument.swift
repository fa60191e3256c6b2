import WireProtocol

/// The HTTP API as OpenAPI 3.1: `POST /v1/<method>` for every command, and the operational endpoints.
package struct OpenAPIDocument {
    private let shapes: ChatShapes
    private let writer: SchemaWriter

    package init(_ shapes: ChatShapes) {
        self.shapes = shapes
        writer = SchemaWriter(components: shapes.components)
    }

    package var value: JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Belfry", "version": .text(APIDocuments.version),
                "license": ["name": "Apache License 2.0", "identifier": "Apache-2.0"],
                "description": """
                A chat's commands. The same commands are RPCs of the WebSocket at /connection/websocket, which \
                /asyncapi.json describes. Times are milliseconds since 1970; absent means absent, never null; \
                unknown fields of an answer are to be ignored, those of a command are refused with 107.
                """,
            ],
            "servers": [["url": "/"]],
            "tags": .list(families.map { ["name": .text($0)] }),
            "paths": .object(shapes.commands.map { ("/v1/" + $0.method, ["post": operation($0)]) } + pages),
            "components": [
                "schemas": writer.schemas.with(.object(ErrorSchema.schemas)),
                "responses": .object(refusals),
                "parameters": ["IdempotencyKey": Self.idempotencyKey],
                "securitySchemes": Self.securitySchemes,
            ],
        ]
    }

    static let securitySchemes: JSONValue = [
        "bearer": [
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "HS256; sub is the user.",
        ],
        "apiKey": [
            "type": "apiKey", "in": "header", "name": "X-API-Key",
            "description": """
            The app's backend, for itself or, with as_user_id in the body, for that user. What is required is the key's \
            scope: read, write or admin.
            """,
        ],
    ]

    private static let idempotencyKey: JSONValue = [
        "name": "Idempotency-Key", "in": "header", "required": false,
        "schema": ["type": "string", "pattern": #"^"([ !#-\[\]-~]|\\["\\]){1,255}"$"#],
        "description": """
        A text in quotation marks that names the request: the same caller's same request of that name gets the first \
        answer again.
        """,
        "example": #""8e03978e-40d5-43e8-bc93-6894a57f9324""#,
    ]

    private var families: [String] {
        var seen: Set<String> = []
        return shapes.commands.map(\.family).filter { seen.insert($0).inserted } + ["operations"]
    }

    // MARK: Commands

    private func operation(_ command: ChatShapes.Command) -> JSONValue {
        var responses: [(String, JSONValue)] = [
            (
                "200",
                [
                    "description": "The command's response.",
                    "content": [
                        "application/json": [
                            "schema": writer.schema(command.response), "example": writer.example(command.response),
                        ]
                    ],
                ]
            )
        ]
        responses += refusals.map { name, _ in
            (String(name.dropFirst("Status".count)), ["$ref": .text("#/components/responses/" + name)])
        }
        return [
            "operationId": .text(command.method), "tags": [.text(command.family)],
            "security": security(command),
            "parameters": [["$ref": "#/components/parameters/IdempotencyKey"]],
            "requestBody": [
                "required": true,
                "content": [
                    "application/json": ["schema": body(command), "example": writer.example(command.request)]
                ],
            ],
            "responses": .object(responses),
        ]
    }

    /// Returns the scope as a role name in the requirement's list, as OpenAPI 3.1 allows.
    private func security(_ command: ChatShapes.Command) -> JSONValue {
        let key: JSONValue = ["apiKey": [.text(command.scope.rawValue)]]
        return switch command.callers {
        case .server: [key]
        case .newcomers: [[:], key]
        case .users, .anyone: [["bearer": []], key]
        }
    }

    /// Returns the request body, with `as_user_id` for server keys.
    private func body(_ command: ChatShapes.Command) -> JSONValue {
        let request = writer.schema(command.request)
        let description =
            switch command.callers {
            case .server, .newcomers: ""
            case .users: "With X-API-Key, and required there: the user for whom the command is."
            case .anyone: "With X-API-Key only: the user for whom the command is."
            }
        guard !description.isEmpty else { return request }
        let asUser = SchemaWriter.reference("UserID").with(["description": .text(description)])
        return ["allOf": [request, ["type": "object", "properties": ["as_user_id": asUser]]]]
    }

    /// One response per error status of commands: `Status404` and so on.
    private var refusals: [(String, JSONValue)] {
        ErrorSchema.statuses.map { status, codes in
            let description = codes.map { "\($0.rawValue) \($0.row.message)" }.joined(separator: "; ")
            let examples = codes.map { ("\($0.rawValue)", ["value": ErrorSchema.example($0)] as JSONValue) }
            return (
                "Status\(status)",
                [
                    "description": .text(description),
                    "content": [
                        "application/json": [
                            "schema": SchemaWriter.reference("ErrorAnswer"), "examples": .object(examples),
                        ]
                    ],
                ]
            )
        } + [
            (
                "Status413",
                [
                    "description": "The body is too large.",
                    "content": ["text/plain": ["schema": ["type": "string"]]],
                ]
            )
        ]
    }

    // MARK: Operational endpoints

    private var pages: [(String, JSONValue)] {
        [
            ("/livez", page("live", "The process runs.", "text/plain", "alive\n")),
            (
                "/readyz",
                page(
                    "ready", "It takes commands.", "text/plain", "ready\n",
                    also: ("503", "It is starting or stopping."))
            ),
            ("/metrics", page("metrics", "Prometheus text format.", "text/plain", "belfry_commands_total 1\n")),
            ("/openapi.json", page("openapi", "This document.", "application/json", nil)),
            ("/asyncapi.json", page("asyncapi", "AsyncAPI 3.0 of the WebSocket.", "application/json", nil)),
        ]
    }

    private func page(
        _ id: String, _ description: String, _ type: String, _ example: String?, also: (String, String)? = nil
    ) -> JSONValue {
        var content: [(String, JSONValue)] = [("schema", ["type": example == nil ? "object" : "string"])]
        if let example { content.append(("example", .text(example))) }
        let media = JSONValue.object([(type, .object(content))])
        var responses: [(String, JSONValue)] = [("200", ["description": .text(description), "content": media])]
        if let also { responses.append((also.0, ["description": .text(also.1), "content": media])) }
        return [
            "get": [
                "operationId": .text(id), "tags": ["operations"], "security": [], "responses": .object(responses),
            ]
        ]
    }
}
