import Cryptography
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

    private static func blocks(_ bytes: [UInt8]) throws(TokenKeyError) -> [[Substring]] {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw TokenKeyError("it is not UTF-8 text") }
        var blocks: [[Substring]] = []
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
                    blocks.append(lines)
                    open = nil
                }
            }
        }
        guard open == nil else { throw TokenKeyError("a PEM block has no end") }
        return blocks
    }

    private static func key(_ lines: [Substring], place: Int) throws(TokenKeyError) -> TokenKey {
        if let spki = der(lines), let key = SignatureKey(spki: spki),
            key.algorithm != .rsaPKCS1 || TokenKey.rsaBits.contains(key.bits)
        {
            return TokenKey(key, id: nil)
        }
        throw TokenKeyError(
            "block \(place) is not a public key of RSA (2048 to 8192 bits), P-256 or Ed25519")
    }

    /// Decodes the lines between the first and the last: 64 characters each, except the last. RFC 7468 §3.
    private static func der(_ lines: [Substring]) -> [UInt8]? {
        let body = lines.dropFirst().dropLast()
        guard lines.first == "-----BEGIN \(label)-----", lines.last == "-----END \(label)-----",
            body.dropLast().allSatisfy({ $0.utf8.count == 64 }), body.last.map({ $0.utf8.count <= 64 }) ?? false
        else { return nil }
        return Data(base64Encoded: body.joined()).map(Array.init)
    }
}
