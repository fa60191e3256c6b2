#if Cluster
import Cryptography

extension Configuration {
    /// A digest of the settings that all nodes of a cluster must share.
    var clusterDigest: [UInt8] { Self.digest(["\(chat)"]) }

    /// A digest of the keys that all nodes of a cluster must share. It reveals nothing of them.
    var keysDigest: [UInt8] { Self.digest([tokenSecret ?? "", apiKey ?? ""]) }

    private static func digest(_ parts: [String]) -> [UInt8] {
        var hash = SHA256()
        for part in parts { hash.update(SHA256.hash(Array(part.utf8))) }
        return Array(hash.finalize().prefix(16))
    }
}
#endif
