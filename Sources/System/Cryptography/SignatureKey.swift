import COpenSSL

/// A public key that verifies signatures of its only algorithm.
///
/// Verifying does not change the key: OpenSSL counts references atomically and locks what it caches, so all queues may
/// use it concurrently.
package final class SignatureKey: @unchecked Sendable {
    package enum Algorithm: Sendable {
        /// RSASSA-PKCS1-v1_5 with SHA-256; a signature is as long as the modulus. RFC 8017 §8.2.
        case rsaPKCS1
        /// ECDSA on P-256 with SHA-256; a signature is r followed by s, 32 bytes each. RFC 7518 §3.4.
        case p256
        /// Ed25519; a signature has 64 bytes. RFC 8032 §5.1.
        case ed25519
    }

    package let algorithm: Algorithm
    /// The bits of the modulus or of the curve.
    package let bits: Int
    private let key: OpaquePointer

    /// - Parameter key: An `EVP_PKEY`, freed by this object.
    private init?(_ key: OpaquePointer?, _ algorithm: Algorithm) {
        ERR_clear_error()
        guard let key else { return nil }
        self.key = key
        self.algorithm = algorithm
        bits = Int(EVP_PKEY_get_bits(key))
    }

    deinit { EVP_PKEY_free(key) }

    /// - Parameters: Big-endian, with or without leading zeros.
    /// - Returns: `nil` unless both are odd and the exponent has 2 to 33 bits. OpenSSL would accept other keys, and take
    ///   long to verify with a larger exponent.
    package convenience init?(rsaModulus modulus: [UInt8], exponent: [UInt8]) {
        self.init(Self.rsaKey(modulus, exponent), .rsaPKCS1)
    }

    /// - Parameter point: x followed by y, 32 bytes each.
    /// - Returns: `nil` unless the point is on the curve.
    package convenience init?(p256 point: [UInt8]) {
        guard OpenSSL.isStarted, point.count == 64 else { return nil }
        self.init(belfry_p256_public_key([0x04] + point, 65), .p256)
    }

    /// - Parameter key: 32 bytes. A key that is not a point on the curve verifies no signature.
    package convenience init?(ed25519 key: [UInt8]) {
        guard OpenSSL.isStarted, key.count == 32 else { return nil }
        self.init(EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, key, key.count), .ed25519)
    }

    /// - Parameter spki: A `SubjectPublicKeyInfo` in DER. RFC 5280 §4.1.2.7.
    /// - Returns: `nil` for other types of keys, and for encodings other than DER.
    package convenience init?(spki: [UInt8]) {
        // The bytes around the key are constant. RFC 8410 §4, RFC 5480 §2.
        if spki.count == Self.ed25519Head.count + 32, spki.starts(with: Self.ed25519Head) {
            self.init(ed25519: Array(spki.suffix(32)))
        } else if spki.count == Self.p256Head.count + 64, spki.starts(with: Self.p256Head) {
            self.init(p256: Array(spki.suffix(64)))
        } else {
            self.init(Self.rsaKey(spki: spki), .rsaPKCS1)
        }
    }

    private static let ed25519Head: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]
    /// Ends with the octet that says that the point is uncompressed.
    private static let p256Head: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]

    // MARK: Verifying

    /// Returns whether the signature is valid. A malformed signature is not.
    package func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        guard let signature = algorithm == .p256 ? Self.der(signature) : signature else { return false }
        // The thread's next user of OpenSSL must not find these errors.
        defer { ERR_clear_error() }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        let hash = algorithm == .ed25519 ? nil : "SHA256"
        guard EVP_DigestVerifyInit_ex(context, nil, hash, nil, nil, key, nil) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
    }

    /// - Returns: An `ECDSA-Sig-Value` (RFC 5480 §A) of r and s; `nil` for another length. OpenSSL checks their range.
    private static func der(_ signature: [UInt8]) -> [UInt8]? {
        guard signature.count == 64, let pair = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(pair) }
        let r = BN_bin2bn(Array(signature.prefix(32)), 32, nil)
        let s = BN_bin2bn(Array(signature.suffix(32)), 32, nil)
        guard ECDSA_SIG_set0(pair, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        return encode { i2d_ECDSA_SIG(pair, $0) }
    }

    // MARK: RSA

    private static func rsaKey(_ modulus: [UInt8], _ exponent: [UInt8]) -> OpaquePointer? {
        guard OpenSSL.isStarted, let n = BN_bin2bn(modulus, CInt(clamping: modulus.count), nil) else { return nil }
        defer { BN_free(n) }
        guard let e = BN_bin2bn(exponent, CInt(clamping: exponent.count), nil) else { return nil }
        defer { BN_free(e) }
        return rsaKey(n, e)
    }

    private static func rsaKey(_ n: OpaquePointer, _ e: OpaquePointer) -> OpaquePointer? {
        guard BN_is_odd(n) == 1, BN_is_odd(e) == 1, (2...33).contains(BN_num_bits(e)) else { return nil }
        return belfry_rsa_public_key(n, e)
    }

    private static func rsaKey(spki: [UInt8]) -> OpaquePointer? {
        guard OpenSSL.isStarted else { return nil }
        let decoded = spki.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return d2i_PUBKEY(nil, &next, buffer.count)
        }
        guard let decoded else { return nil }
        defer { EVP_PKEY_free(decoded) }
        // Encoded again, only DER gives the same bytes.
        guard EVP_PKEY_get_base_id(decoded) == EVP_PKEY_RSA, encode({ i2d_PUBKEY(decoded, $0) }) == spki else {
            return nil
        }
        var (n, e): (OpaquePointer?, OpaquePointer?)
        defer {
            BN_free(n)
            BN_free(e)
        }
        guard EVP_PKEY_get_bn_param(decoded, OSSL_PKEY_PARAM_RSA_N, &n) == 1,
            EVP_PKEY_get_bn_param(decoded, OSSL_PKEY_PARAM_RSA_E, &e) == 1, let n, let e
        else { return nil }
        return rsaKey(n, e)
    }
}

/// Returns the DER encoding that an `i2d` function writes; `nil` if it fails.
private func encode(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> CInt) -> [UInt8]? {
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = write(&bytes)
    defer { belfry_free(bytes) }
    guard count > 0, let bytes else { return nil }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
}
