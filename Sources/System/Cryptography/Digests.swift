import COpenSSL

/// SHA-1, only for the opening handshake of WebSocket. FIPS 180-4 §6.1.
package enum SHA1 {
    /// Returns the digest, 20 bytes.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] { HashFunction.sha1.hash(bytes) }
}

/// SHA-256, of bytes that arrive in several pieces. FIPS 180-4 §6.2.
package struct SHA256: ~Copyable {
    /// The length of a digest.
    package static let byteCount = 32

    private let context = HashFunction.sha256.begin()

    package init() {}

    deinit { EVP_MD_CTX_free(context) }

    package mutating func update(_ bytes: [UInt8]) { Cryptography.update(context, bytes) }

    /// Returns the digest, 32 bytes.
    package consuming func finalize() -> [UInt8] {
        HashFunction.sha256.output { EVP_DigestFinal_ex(context, $0, $1) }
    }

    /// Returns the digest, 32 bytes.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] { HashFunction.sha256.hash(bytes) }
}

/// A key of HMAC-SHA-256. RFC 2104.
///
/// It keeps the two hash states after the padded key and copies them for each code. `EVP_MAC` does the same, but its
/// copies take three times as long.
///
/// The states do not change after initialization, so all queues may use a key concurrently.
package final class HMACKey: @unchecked Sendable {
    private static let blockBytes = 64

    private let inner: OpaquePointer
    private let outer: OpaquePointer

    /// - Parameter key: Any length. Keys longer than 64 bytes are hashed.
    package init(_ key: [UInt8]) {
        let short = key.count > Self.blockBytes ? SHA256.hash(key) : key
        let block = short + [UInt8](repeating: 0, count: Self.blockBytes - short.count)
        inner = HashFunction.sha256.begin()
        update(inner, block.map { $0 ^ 0x36 })
        outer = HashFunction.sha256.begin()
        update(outer, block.map { $0 ^ 0x5C })
    }

    deinit {
        EVP_MD_CTX_free(inner)
        EVP_MD_CTX_free(outer)
    }

    /// Returns the authentication code, 32 bytes.
    package func code(for bytes: some Collection<UInt8>) -> [UInt8] {
        let hash = HashFunction.sha256
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("no memory for a digest") }
        defer { EVP_MD_CTX_free(context) }
        precondition(EVP_MD_CTX_copy_ex(context, inner) == 1, "no memory for a digest")
        update(context, bytes)
        let digest = hash.output { EVP_DigestFinal_ex(context, $0, $1) }
        precondition(EVP_MD_CTX_copy_ex(context, outer) == 1, "no memory for a digest")
        update(context, digest)
        return hash.output { EVP_DigestFinal_ex(context, $0, $1) }
    }

    /// Returns whether `code` is the authentication code, in constant time.
    package func isValid(_ code: [UInt8], for bytes: some Collection<UInt8>) -> Bool {
        isEqualInConstantTime(code, self.code(for: bytes))
    }
}

/// Compares two secrets. The time depends on their lengths only.
package func isEqualInConstantTime(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
}
