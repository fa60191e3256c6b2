import CEpoll
import Glibc

/// An address as the kernel holds it.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    /// - Parameter host: An IPv4 or IPv6 literal, or `localhost`, which means 127.0.0.1. Names are not resolved.
    /// - Throws: `SystemError` with EINVAL for any other host.
    init(host: String, port: UInt16) throws(SystemError) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host == "localhost" ? "127.0.0.1" : host, String(port), &hints, &list)
        if result == EAI_SYSTEM { throw .last("getaddrinfo") }
        guard result == 0, let list else {
            throw SystemError(operation: "getaddrinfo", errno: result == EAI_MEMORY ? ENOMEM : EINVAL)
        }
        defer { freeaddrinfo(list) }
        guard let address = list.pointee.ai_addr, list.pointee.ai_addrlen <= length else {
            throw SystemError(operation: "getaddrinfo", errno: EINVAL)
        }
        length = list.pointee.ai_addrlen
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
    }

    /// Captures the address filled in by a call such as `getsockname`.
    ///
    /// - Returns: Nil when the call returned a negative number; `errno` is still the call's.
    init?(filledBy body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
        if result < 0 { return nil }
    }

    var family: Int32 { Int32(storage.ss_family) }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// The numeric address without port. IPv4-mapped IPv6 (`::ffff:192.0.2.1`) is given as IPv4, so that a client
    /// counts as one address. `unix` for a local socket.
    var host: String {
        guard family != AF_UNIX else { return "unix" }
        let capacity = Int(NI_MAXHOST)
        let text: String? = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let result = withPointer { getnameinfo($0, $1, base, socklen_t(capacity), nil, 0, NI_NUMERICHOST) }
            return result == 0 ? String(cString: base) : nil
        }
        guard let text else { return "unknown" }
        return text.hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text
    }

    /// 0 for a socket without ports.
    var port: UInt16 {
        guard family == AF_INET || family == AF_INET6 else { return 0 }
        // sin_port and sin6_port have the same offset.
        return withUnsafeBytes(of: storage) {
            UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }
}
