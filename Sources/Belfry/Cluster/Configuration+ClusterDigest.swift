#if Cluster
import Cryptography

extension Configuration {
    /// A digest of the keys and settings that all nodes of a cluster must share. It reveals nothing of them.
    var clusterDigest: [UInt8] {
        var hash = SHA256()
        for part in [tokenSecret ?? "", apiKey ?? "", "\(chat)"] {
            hash.update(SHA256.hash(Array(part.utf8)))
        }
        return Array(hash.finalize().prefix(16))
    }
}
#endif
