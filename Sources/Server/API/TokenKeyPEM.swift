import Crypto
import CryptoExtras
import FoundationEssentials

/// PEM public keys: `-----BEGIN PUBLIC KEY-----`. RFC 7468 §13.
enum TokenKeyPEM {
    private static let label = "PUBLIC KEY"

    /// Returns the keys of all blocks, without `kid`. Text around the blocks is ignored.
    ///
    /// - Throws: For any other kind of block, and when there is no block.
    static func keys(_ bytes: [UInt8]) throws(TokenKeyError) -> [TokenKey] {
        guard bytes.count <= TokenKeySet.mostBytes else {
            throw TokenKeyError("it is larger than \(TokenKeySet.mostBytes) bytes")
        }
        let blocks = try blocks(bytes)
        guard !blocks.isEmpty else { throw TokenKeyError("it is neither a JWK set nor PEM") }
        guard blocks.count <= TokenKeySet.mostKeys else {
            throw TokenKeyError("it contains more than \(TokenKeySet.mostKeys) keys")
        }
        var keys: [TokenKey] = []
        for (index, block) in blocks.enumerated() {
            let key = try key(block, place: index + 1)
            // Neither key has an id, so tokens could not indicate which one they mean.
            if keys.contains(where: { $0.algorithm == key.algorithm }) {
                throw TokenKeyError(
                    "block \(index + 1) is a second key of \(key.algorithm.rawValue): several need a JWK set with kid")
            }
            keys.append(key)
        }
        return keys
    }

    private static func blocks(_ bytes: [UInt8]) throws(TokenKeyError) -> [String] {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw TokenKeyError("it is not UTF-8 text") }
        var blocks: [String] = []
        var open: [Substring]?
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN ") {
                guard open == nil else { throw TokenKeyError("a PEM block begins inside another") }
                guard line.hasPrefix("-----BEGIN \(label)-----") else {
                    throw TokenKeyError(
                        "a PEM block is not a \(label): openssl pkey -in FILE -pubout extracts one from a private key, "
                            + "openssl x509 -in FILE -pubkey -noout from a certificate")
                }
                open = [line]
            } else if open != nil {
                open?.append(line)
                if line.hasPrefix("-----END "), let lines = open {
                    blocks.append(lines.joined(separator: "\n") + "\n")
                    open = nil
                }
            }
        }
        guard open == nil else { throw TokenKeyError("a PEM block has no end") }
        return blocks
    }

    private static func key(_ pem: String, place: Int) throws(TokenKeyError) -> TokenKey {
        if let key = try? P256.Signing.PublicKey(pemRepresentation: pem) { return TokenKey(.p256(key), id: nil) }
        if let key = ed25519(pem) { return TokenKey(.ed25519(key), id: nil) }
        if let key = try? _RSA.Signing.PublicKey(pemRepresentation: pem), TokenKey.rsaBits.contains(key.keySizeInBits) {
            return TokenKey(.rsa(key), id: nil)
        }
        throw TokenKeyError(
            "block \(place) is not a public key of RSA (2048 to 8192 bits), P-256 or Ed25519")
    }

    /// The bytes around the key are constant. RFC 8410 §4.
    private static func ed25519(_ pem: String) -> Curve25519.Signing.PublicKey? {
        let head: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]
        let body = pem.split(separator: "\n").dropFirst().dropLast().joined()
        guard let der = Data(base64Encoded: body).map(Array.init), der.count == head.count + 32, der.starts(with: head)
        else { return nil }
        return try? Curve25519.Signing.PublicKey(rawRepresentation: der.suffix(32))
    }
}
