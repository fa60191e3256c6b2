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
/// The keyed state is copied for each code and does not change after initialization, so all queues may use a key
/// concurrently.
package final class HMACKey: @unchecked Sendable {
    private static let byteCount = 32

    /// An `EVP_MAC_CTX`.
    private let keyed: OpaquePointer

    /// - Parameter key: Any length.
    package init(_ key: [UInt8]) {
        keyed = OpenSSL.hmacSHA256()
        // A null pointer would mean an earlier key.
        let key = key.isEmpty ? [0] : key
        precondition(EVP_MAC_init(keyed, key, key.count, nil) == 1, "no memory for a key")
    }

    deinit { EVP_MAC_CTX_free(keyed) }

    /// Returns the authentication code, 32 bytes.
    package func code(for bytes: some Collection<UInt8>) -> [UInt8] {
        guard let context = EVP_MAC_CTX_dup(keyed) else { preconditionFailure("no memory for a code") }
        defer { EVP_MAC_CTX_free(context) }
        let updated = withBytes(of: bytes) { EVP_MAC_update(context, $0.baseAddress, $0.count) }
        precondition(updated == 1, "no memory for a code")
        return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            let isDone = EVP_MAC_final(context, buffer.baseAddress, &count, Self.byteCount) == 1
            precondition(isDone, "no memory for a code")
        }
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
