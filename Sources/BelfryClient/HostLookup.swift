import Dispatch
import Glibc

/// Resolves a host name to numeric addresses.
///
/// Runs off every loop, because `getaddrinfo` blocks for seconds when the network is down.
enum HostLookup {
    /// Whether no lookup is needed.
    static func isLiteral(_ host: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        return host == "localhost" || inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
    }

    /// - Parameter completion: Receives the addresses in the system's order of preference; empty when there are none.
    static func resolve(_ host: String, _ completion: @escaping @Sendable ([String]) -> Void) {
        DispatchQueue.global().async { completion(addresses(of: host)) }
    }

    private static func addresses(of host: String) -> [String] {
        var hints = addrinfo()
        hints.ai_flags = AI_ADDRCONFIG
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0, let list else { return [] }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0.pointee.ai_next }.compactMap { numeric($0.pointee) }
    }

    private static func numeric(_ info: addrinfo) -> String? {
        let capacity = Int(NI_MAXHOST)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let result = getnameinfo(
                info.ai_addr, info.ai_addrlen, base, socklen_t(capacity), nil, 0, NI_NUMERICHOST)
            return result == 0 ? String(cString: base) : nil
        }
    }
}
