import COpenSSL

/// A private key of OpenSSL that signs for tests, in every form that a server must accept or refuse.
///
/// Immutable after initialization; OpenSSL counts references atomically, so all queues may use it concurrently.
package final class SigningKey: @unchecked Sendable {
    package struct Failure: Error {}

    /// The padding of an RSA signature.
    package enum Padding { case pkcs1, pss }

    package enum Encoding {
        /// `-----BEGIN PUBLIC KEY-----`. RFC 7468 §13.
        case publicKey
        /// `-----BEGIN RSA PUBLIC KEY-----`. RFC 8017 §A.1.1.
        case pkcs1PublicKey
        /// `-----BEGIN PRIVATE KEY-----`. RFC 7468 §10.
        case privateKey
        /// `-----BEGIN RSA PRIVATE KEY-----` or `EC`. RFC 8017 §A.1.2, RFC 5915 §4.
        case typedPrivateKey
    }

    private let key: OpaquePointer

    /// - Parameter parameters: Sets the size or curve in an `EVP_PKEY_CTX`.
    private init(_ type: String, _ parameters: (OpaquePointer) -> CInt = { _ in 1 }) throws {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else { throw Failure() }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, parameters(context) == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw Failure() }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    package static func rsa(bits: Int = 2_048, _ type: String = "RSA") throws -> SigningKey {
        try SigningKey(type) { EVP_PKEY_CTX_set_rsa_keygen_bits($0, CInt(bits)) }
    }

    /// - Parameter curve: `P-256`, `P-384`, …
    package static func ec(_ curve: String = "P-256") throws -> SigningKey {
        try SigningKey("EC") { EVP_PKEY_CTX_set_group_name($0, curve) }
    }

    package static func ed25519() throws -> SigningKey { try SigningKey("ED25519") }

    package static func x25519() throws -> SigningKey { try SigningKey("X25519") }

    // MARK: Signing

    /// - Parameters:
    ///   - hash: `nil` for Ed25519.
    ///   - padding: For RSA.
    /// - Returns: An ECDSA signature is in DER.
    package func signature(
        of bytes: [UInt8], hash: String? = "SHA256", padding: Padding = .pkcs1
    ) throws -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw Failure() }
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        guard EVP_DigestSignInit_ex(context, &keyContext, hash, nil, nil, key, nil) == 1 else { throw Failure() }
        if padding == .pss, EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) != 1 { throw Failure() }
        var count = 0
        guard EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1 else { throw Failure() }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else { throw Failure() }
        return Array(signature.prefix(count))
    }

    /// Returns r followed by s, 32 bytes each. RFC 7518 §3.4.
    package func p256Signature(of bytes: [UInt8], hash: String = "SHA256") throws -> [UInt8] {
        let der = try signature(of: bytes, hash: hash)
        let pair = der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &next, buffer.count)
        }
        defer { ECDSA_SIG_free(pair) }
        return try bytes32(ECDSA_SIG_get0_r(pair)) + bytes32(ECDSA_SIG_get0_s(pair))
    }

    private func bytes32(_ number: OpaquePointer?) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard BN_bn2binpad(number, &bytes, 32) == 32 else { throw Failure() }
        return bytes
    }

    // MARK: Encodings

    package func pem(_ encoding: Encoding) throws -> String {
        let isPublic = encoding == .publicKey || encoding == .pkcs1PublicKey
        let structure =
            switch encoding {
            case .publicKey: "SubjectPublicKeyInfo"
            case .privateKey: "PrivateKeyInfo"
            case .pkcs1PublicKey, .typedPrivateKey: "type-specific"
            }
        let parts = OSSL_KEYMGMT_SELECT_PUBLIC_KEY | (isPublic ? 0 : OSSL_KEYMGMT_SELECT_PRIVATE_KEY)
        // The encoder keeps the pointers to both names.
        return try "PEM".withCString { format in
            try structure.withCString { structure in
                try encode(parts | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS, format, structure)
            }
        }
    }

    private func encode(
        _ parts: CInt, _ format: UnsafePointer<CChar>, _ structure: UnsafePointer<CChar>
    ) throws -> String {
        let encoder = OSSL_ENCODER_CTX_new_for_pkey(key, parts, format, structure, nil)
        defer { OSSL_ENCODER_CTX_free(encoder) }
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        guard OSSL_ENCODER_to_data(encoder, &bytes, &count) == 1, let bytes else { throw Failure() }
        defer { belfry_free(bytes) }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The modulus and public exponent of an RSA key, big-endian.
    package func rsaNumbers() throws -> (modulus: [UInt8], exponent: [UInt8]) {
        (try number(OSSL_PKEY_PARAM_RSA_N), try number(OSSL_PKEY_PARAM_RSA_E))
    }

    private func number(_ name: String) throws -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key, name, &number) == 1 else { throw Failure() }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        guard BN_bn2bin(number, &bytes) == bytes.count else { throw Failure() }
        return bytes
    }

    /// The public key in its raw form: x followed by y for a P-256 key.
    package func rawPublicKey() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65)
        var count = 0
        guard EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &bytes, bytes.count, &count) == 1 else {
            throw Failure()
        }
        return Array(bytes.prefix(count).suffix(count == 65 ? 64 : count))
    }
}

/// Returns the HMAC of bytes, for codes that a server must refuse too.
///
/// - Parameter hash: `SHA256`, `SHA384`, …
package func hmac(_ bytes: [UInt8], key: [UInt8], hash: String = "SHA256") -> [UInt8] {
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count = 0
    let isDone = EVP_Q_mac(nil, "HMAC", nil, hash, nil, key, key.count, bytes, bytes.count, &code, code.count, &count)
    precondition(isDone != nil, "no HMAC with \(hash)")
    return Array(code.prefix(count))
}
