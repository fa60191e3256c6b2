import Glibc

/// The limit of open descriptors of this process.
enum FileLimit {
    /// Descriptors needed in addition to the connections.
    static let own = 64

    /// - Throws: `LoadError` if the limit is lower.
    static func require(_ count: Int) throws {
        let limit = raised()
        guard count <= limit else {
            throw LoadError("\(count) descriptors are needed, but the limit is \(limit): raise `ulimit -n`")
        }
    }

    /// Raises the soft limit to the hard one, and returns it.
    static func raised() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }
}
