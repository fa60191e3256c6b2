import HTTPTypes

/// The application protocols used over the connection. RFC 6455 §1.9.
enum Subprotocols {
    /// The client's offer over all fields of that name, in order of preference. RFC 6455 §4.1 and §11.3.4.
    ///
    /// - Returns: Empty when nothing is offered; nil when it is not a list of tokens or has duplicates.
    static func offer(in fields: HTTPFields) -> [String]? {
        // The grammar equals that of extensions without parameters.
        guard let elements = WebSocketExtension.list(fields[values: .secWebSocketProtocol]),
            elements.allSatisfy(\.parameters.isEmpty)
        else { return nil }
        let names = elements.map(\.name)
        return Set(names).count == names.count ? names : nil
    }
}
