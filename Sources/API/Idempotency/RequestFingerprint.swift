import Crypto

/// What a request asks for, to be told from other requests: its command and the bytes of its body.
package struct RequestFingerprint: Hashable, Sendable {
    private let digest: [UInt8]

    package init(method: String, body: [UInt8]) {
        var hash = SHA256()
        hash.update(data: Array(method.utf8))
        // No command has a zero in its name.
        hash.update(data: [0])
        hash.update(data: body)
        digest = Array(hash.finalize())
    }
}
