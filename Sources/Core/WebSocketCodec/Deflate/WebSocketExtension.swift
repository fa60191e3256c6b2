/// One element of `Sec-WebSocket-Extensions`: a name and its parameters. RFC 6455 §9.1.
///
///     extension = token *( ";" parameter )
///     parameter = token [ "=" ( token | quoted-string that is a token once unquoted ) ]
package struct WebSocketExtension: Equatable, Sendable {
    package struct Parameter: Equatable, Sendable {
        package var name: String
        /// The value without quotation marks; nil if absent.
        package var value: String?

        package init(name: String, value: String? = nil) {
            self.name = name
            self.value = value
        }
    }

    package var name: String
    /// The parameters in order, including repeated ones.
    package var parameters: [Parameter]

    package init(name: String, parameters: [Parameter] = []) {
        self.name = name
        self.parameters = parameters
    }

    /// Parses the list formed by all `Sec-WebSocket-Extensions` fields, in order of preference.
    ///
    /// Whitespace is allowed between any two tokens, as in RFC 2616, whose grammar RFC 6455 uses. Empty elements are
    /// skipped. RFC 9110 §5.6.1.
    ///
    /// - Parameter values: The values, one per field line.
    /// - Returns: The extensions, empty if none is listed; nil if a value violates the grammar.
    package static func list(_ values: [String]) -> [WebSocketExtension]? {
        var extensions: [WebSocketExtension] = []
        for value in values {
            var parser = ElementParser(value)
            repeat {
                guard !parser.isAtElementEnd else { continue }
                guard let element = parser.element() else { return nil }
                extensions.append(element)
            } while parser.consume(",")
            guard parser.isAtEnd else { return nil }
        }
        return extensions
    }
}

/// A parser for tokens, quoted strings and separators. RFC 9110 §5.6.
private struct ElementParser {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return rest.isEmpty
        }
    }

    var isAtElementEnd: Bool {
        mutating get { isAtEnd || rest.first == UInt8(ascii: ",") }
    }

    mutating func element() -> WebSocketExtension? {
        guard let name = token() else { return nil }
        var element = WebSocketExtension(name: name)
        while consume(";") {
            guard let name = token() else { return nil }
            var parameter = WebSocketExtension.Parameter(name: name)
            if consume("=") {
                guard let value = consume("\"") ? quotedToken() : token() else { return nil }
                parameter.value = value
            }
            element.parameters.append(parameter)
        }
        return element
    }

    /// - Returns: False if the next character is a different one.
    mutating func consume(_ separator: Unicode.Scalar) -> Bool {
        skipSpace()
        guard rest.first == UInt8(ascii: separator) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func token() -> String? {
        skipSpace()
        let characters = rest.prefix(while: Self.isTokenCharacter)
        rest = rest[characters.endIndex...]
        return characters.isEmpty ? nil : String(decoding: characters, as: UTF8.self)
    }

    /// Parses the rest of a quoted string after the opening quotation mark. Any character may be escaped with a
    /// backslash.
    private mutating func quotedToken() -> String? {
        var characters: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") {
                return characters.isEmpty ? nil : String(decoding: characters, as: UTF8.self)
            }
            guard let character = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte,
                Self.isTokenCharacter(character)
            else { return nil }
            characters.append(character)
        }
        return nil
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
