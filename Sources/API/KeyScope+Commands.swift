extension CommandTable {
    /// - Returns: Nil for a command that there is none of.
    package static func scope(of method: String) -> KeyScope? { byMethod[method]?.scope }
}

extension HTTPRoute {
    /// What a server key needs here; nil where keys are not asked for.
    package var scope: KeyScope? {
        switch self {
        case .command(let method): CommandTable.scope(of: method)
        case .upload: .write
        case .file: .read
        case .webSocket, .echo, .live, .ready, .metrics, .openAPI, .asyncAPI, .notFound, .methodNotAllowed: nil
        }
    }
}
