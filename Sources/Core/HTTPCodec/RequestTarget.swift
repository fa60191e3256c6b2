/// A request target. RFC 9112 §3.2.
///
/// Paths are neither decoded nor normalized: `/a`, `//a` and `/%61` differ, and `..` is an ordinary name. Comparing
/// bytes ensures that no two parsers interpret a path differently.
package enum RequestTarget: Equatable, Sendable {
    /// `/path?query`
    case origin(path: String)
    /// `http://authority/path?query`; an empty path is given as `/`.
    case absolute(scheme: String, authority: String, path: String)
    /// `*`, for OPTIONS requests that concern the whole server.
    case asterisk

    /// - Throws: `invalidTarget` for anything else, such as CONNECT's authority form, a fragment, a character that
    ///   browsers always escape, or a `%` without two hexadecimal digits.
    package static func parse(_ target: Span<UInt8>) throws(HTTPViolation) -> RequestTarget {
        guard target.count > 0, !target.contains(where: { !isTargetByte($0) }), escapesAreWhole(in: target) else {
            throw .invalidTarget
        }
        let text = target.text
        if text == "*" { return .asterisk }
        if target[0] == UInt8(ascii: "/") { return .origin(path: text) }

        for scheme in ["http", "https"] {
            let prefix = scheme + "://"
            guard text.utf8.count > prefix.utf8.count, text.prefix(prefix.utf8.count).lowercased() == prefix else {
                continue
            }
            let rest = text.dropFirst(prefix.utf8.count)
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            let path = rest.dropFirst(authority.utf8.count)
            guard Authority(String(authority)) != nil else { throw .invalidTarget }
            return .absolute(
                scheme: scheme, authority: String(authority), path: path.first == "/" ? String(path) : "/" + path)
        }
        throw .invalidTarget
    }

    /// Returns whether a byte may occur in a target: visible ASCII, except `\` and characters that the URL standard
    /// always escapes.
    private static func isTargetByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"): false
        default: byte > 0x20 && byte < 0x7F
        }
    }

    private static func escapesAreWhole(in target: Span<UInt8>) -> Bool {
        for index in target.indices where target[index] == UInt8(ascii: "%") {
            guard target.count - index > 2, Grammar.hexDigit(target[index + 1]) != nil,
                Grammar.hexDigit(target[index + 2]) != nil
            else { return false }
        }
        return true
    }
}

/// A host and an optional port, as in Host and in absolute-form targets. RFC 9110 §7.2, RFC 3986 §3.2.
package struct Authority: Equatable, Sendable {
    /// The host in lower case; IPv6 addresses include their brackets.
    package let host: String
    /// The port; nil if absent or empty.
    package let port: UInt16?

    /// - Returns: Nil for an empty host, user information, a list, a port above 65535, or any unexpected character.
    package init?(_ text: String) {
        let hostText: Substring
        let rest: Substring
        if text.first == "[" {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            hostText = text[...bracket]
            rest = text[text.index(after: bracket)...]
            let address = hostText.dropFirst().dropLast()
            guard address.contains(":"), address.utf8.allSatisfy(Self.isAddressByte) else { return nil }
        } else {
            hostText = text.prefix { $0 != ":" }
            rest = text[hostText.endIndex...]
            guard !hostText.isEmpty, hostText.utf8.allSatisfy(Self.isNameByte) else { return nil }
        }
        host = hostText.lowercased()
        if rest.isEmpty || rest == ":" {
            port = nil
        } else {
            guard rest.first == ":", rest.utf8.count <= 6, let number = Grammar.decimal(rest.dropFirst()),
                let port = UInt16(exactly: number)
            else { return nil }
            self.port = port
        }
    }

    /// Returns whether both identify the same server. An omitted port is the default port of `scheme`.
    package func isSame(as other: Authority, scheme: String) -> Bool {
        let defaultPort: UInt16 = scheme == "https" ? 443 : 80
        return host == other.host && (port ?? defaultPort) == (other.port ?? defaultPort)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        Grammar.hexDigit(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    /// Returns whether a byte may occur in a host name: letters, digits, `-`, `.`, `_` and `~`. Other characters that
    /// RFC 3986 allows are not used in host names.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}
