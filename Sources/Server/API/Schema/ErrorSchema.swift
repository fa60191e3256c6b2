import ChatModel
import WireProtocol

/// The error codes and the error object, generated from the code table.
enum ErrorSchema {
    /// Codes of subscriptions and connections, which no command returns.
    private static let notOfCommands: Set<ErrorCode> = [
        .permissionDenied, .alreadySubscribed, .notAvailable, .unrecoverablePosition,
    ]

    static let ofCommands = ErrorCode.allCases.filter { !notOfCommands.contains($0) }

    /// The HTTP statuses that commands return, each with its error codes.
    static var statuses: [(status: Int, codes: [ErrorCode])] {
        Dictionary(grouping: ofCommands, by: \.row.status).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    static var schemas: [(String, JSONValue)] {
        let codes = ErrorCode.allCases.map { code -> JSONValue in
            [
                "const": .number(Int64(code.rawValue)), "title": .text(code.row.message),
                "description": .text("What a client does: \(code.row.reaction.rawValue)."),
            ]
        }
        return [
            ("ErrorCode", ["type": "integer", "oneOf": .list(codes)]),
            (
                "Error",
                [
                    "type": "object",
                    "properties": [
                        "code": SchemaWriter.reference("ErrorCode"),
                        "message": [
                            "type": "string", "description": "The code in words, and the field or limit it is about.",
                        ],
                        "temporary": ["type": "boolean", "description": "True when sending the same again may help."],
                        "retry_after_ms": [
                            "type": "integer", "minimum": 1,
                            "description": "With 111: milliseconds after which there is room for another command.",
                        ],
                    ],
                    "required": ["code", "message"],
                ]
            ),
            (
                "ErrorAnswer",
                [
                    "type": "object", "properties": ["error": SchemaWriter.reference("Error")],
                    "required": ["error"],
                ]
            ),
        ]
    }

    static func example(_ code: ErrorCode) -> JSONValue {
        var error: [(String, JSONValue)] = [
            ("code", .number(Int64(code.rawValue))), ("message", .text(code.row.message)),
        ]
        if code.isTemporary { error.append(("temporary", true)) }
        return ["error": .object(error)]
    }
}
