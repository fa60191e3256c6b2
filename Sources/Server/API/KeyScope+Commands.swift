extension CommandTable {
    /// - Returns: Nil for an unknown command.
    package static func scope(of method: String) -> KeyScope? { byMethod[method]?.scope }
}

extension HTTPRoute {
    /// The scope that a server key needs here; nil where no key is required.
    package var scope: KeyScope? {
        switch self {
        case .command(let method): CommandTable.scope(of: method)
        case .upload: .write
        case .file: .read
        case .webSocket, .echo, .live, .ready, .metrics, .openAPI, .asyncAPI, .notFound, .methodNotAllowed: nil
        }
    }
}
