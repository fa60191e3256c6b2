import ChatModel

/// The shapes of all commands and events, derived once from the types that the server decodes and encodes.
package struct ChatShapes: Sendable {
    struct Command: Sendable {
        let method: String
        let callers: CommandTable.Callers
        let scope: KeyScope
        /// Fields that other builds support (1018).
        let notYet: [String]
        let request: Shape
        let response: Shape

        /// `message` of `message.send`.
        var family: String { String(method.prefix { $0 != "." }) }
    }

    let commands: [Command]
    let event: Shape
    let components: [String: Component]
    /// Types whose shape is unknown; a test keeps this empty.
    package let gaps: [String]

    package init(_ declarations: [CommandTable.Declaration] = CommandTable.declarations) {
        let recorder = ShapeRecorder()
        func command<R: Request>(_ type: R.Type, _ callers: CommandTable.Callers, _ scope: KeyScope) -> Command {
            Command(
                method: R.method, callers: callers, scope: scope, notYet: R.notYet, request: recorder.shape(of: type),
                response: recorder.shape(of: R.Response.self))
        }
        commands = declarations.map { command($0.request, $0.callers, $0.scope) }
        event = recorder.shape(of: TypedEvent.self)
        _ = recorder.shape(of: UserID.self)
        components = recorder.components
        gaps = recorder.gaps
    }

    /// Valid example bodies, by method.
    package var examples: [String: [UInt8]] {
        let writer = SchemaWriter(components: components)
        return Dictionary(
            commands.map { ($0.method, writer.example($0.request).bytes) }, uniquingKeysWith: { first, _ in first })
    }
}

/// The two API documents, each generated on first request and cached.
package enum APIDocuments {
    static let shapes = ChatShapes()
    package static let openAPI = OpenAPIDocument(shapes).value.bytes
    package static let asyncAPI = AsyncAPIDocument(shapes).value.bytes
    /// The protocol version, as in the connect reply.
    static let version = "1"
}
