import Crypto

/// Distinguishes requests by their command and the bytes of their body.
package struct RequestFingerprint: Hashable, Sendable {
    private let digest: [UInt8]

    package init(method: String, body: [UInt8]) {
        var hash = SHA256()
        hash.update(data: Array(method.utf8))
        // No command name contains a zero.
        hash.update(data: [0])
        hash.update(data: body)
        digest = Array(hash.finalize())
    }
}
