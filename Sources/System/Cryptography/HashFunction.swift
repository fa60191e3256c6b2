import COpenSSL

enum OpenSSL {
    /// Starts OpenSSL without the exit handler that frees what threads may still be using; false if that fails. Only the
    /// process's first call decides on the handler.
    static let isStarted = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    /// Returns a new `EVP_MAC_CTX` for HMAC-SHA-256 without a key, which the caller frees.
    static func hmacSHA256() -> OpaquePointer {
        var digest = Array("SHA256".utf8CString)
        guard isStarted, let function = EVP_MAC_fetch(nil, "HMAC", nil), let context = EVP_MAC_CTX_new(function) else {
            preconditionFailure("OpenSSL has no HMAC")
        }
        // The context holds a reference of its own.
        EVP_MAC_free(function)
        let isSet = digest.withUnsafeMutableBufferPointer { name in
            let parameters = [
                OSSL_PARAM_construct_utf8_string("digest", name.baseAddress, 0), OSSL_PARAM_construct_end(),
            ]
            return EVP_MAC_CTX_set_params(context, parameters) == 1
        }
        precondition(isSet, "OpenSSL has no SHA256")
        return context
    }
}

/// A hash function of OpenSSL, fetched once: looking it up by name for each digest would take longer than the digest of
/// a short text.
///
/// Immutable after initialization, so all queues may use it concurrently.
struct HashFunction: @unchecked Sendable {
    static let sha1 = HashFunction("SHA1")
    static let sha256 = HashFunction("SHA256")

    /// An `EVP_MD`.
    let pointer: OpaquePointer
    /// The length of a digest in bytes.
    let byteCount: Int

    private init(_ name: String) {
        guard OpenSSL.isStarted, let pointer = EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("OpenSSL has no \(name)")
        }
        self.pointer = pointer
        byteCount = Int(EVP_MD_get_size(pointer))
    }

    func hash(_ bytes: [UInt8]) -> [UInt8] {
        output { EVP_Digest(bytes, bytes.count, $0, $1, pointer, nil) }
    }

    /// Returns a new `EVP_MD_CTX`, which the caller frees.
    func begin() -> OpaquePointer {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex2(context, pointer, nil) == 1 else {
            preconditionFailure("no memory for a digest")
        }
        return context
    }

    /// - Parameter body: Writes the digest and its length, and returns 1 unless memory ran out.
    func output(
        _ body: (_ digest: UnsafeMutablePointer<UInt8>?, _ count: UnsafeMutablePointer<UInt32>) -> CInt
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            var written: UInt32 = 0
            precondition(body(buffer.baseAddress, &written) == 1, "no memory for a digest")
            count = Int(written)
        }
    }
}

/// Adds bytes to an `EVP_MD_CTX`.
func update(_ context: OpaquePointer, _ bytes: some Collection<UInt8>) {
    let updated = withBytes(of: bytes) { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    precondition(updated == 1, "no memory for a digest")
}

/// Calls a closure with the bytes, without a copy if they are contiguous.
func withBytes<Result>(of bytes: some Collection<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    bytes.withContiguousStorageIfAvailable(body) ?? Array(bytes).withUnsafeBufferPointer(body)
}
