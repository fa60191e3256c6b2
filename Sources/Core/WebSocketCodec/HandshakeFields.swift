import Crypto
import FoundationEssentials
import HTTPTypes

/// Computations that both ends of the opening handshake share. RFC 6455 §4.
enum HandshakeFields {
    static let version = "13"

    /// The `Sec-WebSocket-Accept` value for a key: base64 of SHA-1 over the key and the RFC's GUID. RFC 6455 §4.2.2.
    static func accept(for key: String) -> String {
        let digest = Insecure.SHA1.hash(data: Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return Data(digest).base64EncodedString()
    }

    static func key(from nonce: [UInt8]) -> String {
        Data(nonce).base64EncodedString()
    }

    /// Whether `key` is the canonical base64 of 16 bytes; other spellings of the same bytes are refused.
    static func isKey(_ key: String) -> Bool {
        guard key.utf8.count == 24, let nonce = Data(base64Encoded: key), nonce.count == 16 else { return false }
        return nonce.base64EncodedString() == key
    }

    /// The elements of a comma-separated list over all fields of that name, lower-cased and without parameters.
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
