import Cryptography
import FoundationEssentials
import HTTPTypes

/// Functions shared by both sides of the opening handshake. RFC 6455 §4.
enum HandshakeFields {
    static let version = "13"

    /// Returns the `Sec-WebSocket-Accept` value for a key: the base64-encoded SHA-1 hash of the key and the RFC's GUID.
    /// RFC 6455 §4.2.2.
    static func accept(for key: String) -> String {
        let digest = SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return Data(digest).base64EncodedString()
    }

    static func key(from nonce: [UInt8]) -> String {
        Data(nonce).base64EncodedString()
    }

    /// Returns whether `key` is 16 bytes in canonical base64. Other encodings of the same bytes are refused.
    static func isKey(_ key: String) -> Bool {
        guard key.utf8.count == 24, let nonce = Data(base64Encoded: key), nonce.count == 16 else { return false }
        return nonce.base64EncodedString() == key
    }

    /// Returns the list elements from all fields with this name, lowercased and without parameters.
    static func tokens(_ name: HTTPField.Name, in fields: HTTPFields) -> [String] {
        fields[values: name].flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).map { element in
                var token = element.prefix { $0 != UInt8(ascii: ";") }.drop(while: isSpace)
                while let last = token.last, isSpace(last) { token.removeLast() }
                return String(Substring(token)).lowercased()
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
