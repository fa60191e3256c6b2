import CEpoll
import Glibc

/// The socket calls the gateway needs, with explicit outcomes. Every socket created here is non-blocking and
/// close-on-exec.
package enum Sockets {
    package enum AcceptResult: ~Copyable {
        /// `peer` is the numeric address without the port.
        case connection(FileDescriptor, peer: String)
        case wouldBlock
        /// No descriptor or memory left. The client is still queued, so the listener stays readable: stop watching it
        /// for a while.
        case exhausted
        case failed(SystemError)
    }

    package enum ConnectResult: ~Copyable {
        case connected(FileDescriptor)
        /// Becomes writable once the attempt completes; `pendingError(of:)` then returns the outcome.
        case inProgress(FileDescriptor)
    }

    package enum ReadResult: Equatable {
        /// At least one byte.
        case bytes(Int)
        case endOfStream
        case wouldBlock
        case failed(SystemError)
    }

    package enum WriteResult: Equatable {
        /// May be fewer than requested.
        case bytes(Int)
        case wouldBlock
        case failed(SystemError)
    }

    // MARK: Listening

    /// Opens a listening socket.
    ///
    /// - Parameters:
    ///   - host: An IPv4 or IPv6 literal, or `localhost` (127.0.0.1). `::` also accepts IPv4 unless the system is
    ///     configured otherwise.
    ///   - port: 0 for any free port; `localAddress(of:)` gives the one chosen.
    ///   - reusePort: Lets each loop have its own listener on the same port, with the kernel distributing the
    ///     connections. The first listener needs it too.
    /// - Throws: `SystemError`: EINVAL for a host that is not a literal, EADDRINUSE, EACCES, …
    package static func listen(
        host: String, port: UInt16, backlog: Int32, reusePort: Bool
    ) throws(SystemError) -> FileDescriptor {
        let address = try SocketAddress(host: host, port: port)
        let descriptor = try open(family: address.family)
        try setOption(SO_REUSEADDR, at: SOL_SOCKET, of: descriptor.rawValue)
        if reusePort { try setOption(SO_REUSEPORT, at: SOL_SOCKET, of: descriptor.rawValue) }
        let bound = address.withPointer { Glibc.bind(descriptor.rawValue, $0, $1) }
        guard bound == 0 else { throw .last("bind") }
        guard Glibc.listen(descriptor.rawValue, backlog) == 0 else { throw .last("listen") }
        return descriptor
    }

    /// Accepts one connection from a listener's queue.
    package static func accept(on listener: Int32) -> AcceptResult {
        // Skip up to 16 clients that have given up in the meantime; if there are more, the listener stays readable.
        for _ in 0..<16 {
            var accepted: Int32 = -1
            let address = SocketAddress { address, length in
                accepted = belfry_accept(listener, address, length)
                return accepted
            }
            if let address { return .connection(FileDescriptor(owning: accepted), peer: address.host) }
            switch errno {
            case EAGAIN: return .wouldBlock
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            // accept(2): treat network errors of the new connection like EAGAIN, by retrying.
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, ENETUNREACH:
                continue
            default: return .failed(.last("accept4"))
            }
        }
        return .wouldBlock
    }

    // MARK: Connecting

    /// Starts connecting a socket to a server.
    ///
    /// - Throws: `SystemError`: EINVAL for a host that is not a literal, or an error the kernel reports immediately.
    package static func connect(host: String, port: UInt16) throws(SystemError) -> ConnectResult {
        let address = try SocketAddress(host: host, port: port)
        let descriptor = try open(family: address.family)
        if address.withPointer({ Glibc.connect(descriptor.rawValue, $0, $1) }) == 0 { return .connected(descriptor) }
        // An interrupted connect continues in the background.
        guard errno == EINPROGRESS || errno == EINTR else { throw .last("connect") }
        return .inProgress(descriptor)
    }

    /// The socket's pending error (`SO_ERROR`), which this clears; nil when there is none.
    package static func pendingError(of socket: Int32) -> SystemError? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return .last("getsockopt") }
        return code == 0 ? nil : SystemError(operation: "socket", errno: code)
    }

    /// The address a socket is bound to; nil when it is not a socket, or its address has no port.
    package static func localAddress(of socket: Int32) -> (host: String, port: UInt16)? {
        let address = SocketAddress { getsockname(socket, $0, $1) }
        guard let address, address.family == AF_INET || address.family == AF_INET6 else { return nil }
        return (address.host, address.port)
    }

    // MARK: Bytes

    /// Reads once. The buffer must not be empty.
    package static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        precondition(!buffer.isEmpty, "reading into an empty buffer is indistinguishable from end of stream")
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfStream }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .wouldBlock : .failed(.last("read"))
        }
    }

    /// Sends once. If the peer is gone, fails with EPIPE instead of raising SIGPIPE.
    package static func write(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> WriteResult {
        if bytes.isEmpty { return .bytes(0) }
        while true {
            let count = send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .wouldBlock : .failed(.last("send"))
        }
    }

    /// Disables Nagle's algorithm, so that small writes are sent immediately.
    package static func setNoDelay(_ socket: Int32) throws(SystemError) {
        try setOption(TCP_NODELAY, at: Int32(IPPROTO_TCP), of: socket)
    }

    /// Sets the approximate number of unread bytes the kernel buffers.
    package static func setReceiveBuffer(_ bytes: Int, of socket: Int32) throws(SystemError) {
        try setOption(SO_RCVBUF, at: SOL_SOCKET, of: socket, to: Int32(clamping: bytes))
    }

    /// Shuts down the sending side. Fails only when the peer is gone, which the next read reports.
    package static func shutdownWrite(_ socket: Int32) {
        _ = Glibc.shutdown(socket, Int32(SHUT_WR))
    }

    // MARK: Limits

    /// Raises the process's soft limit of open descriptors to the hard limit.
    ///
    /// - Returns: The limit now in effect.
    package static func raiseFileLimit() -> Int {
        var limit = rlimit()
        // Neither call should fail: a process may always raise its own soft limit up to the hard limit.
        _ = belfry_get_file_limit(&limit)
        let soft = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        return Int(clamping: belfry_set_file_limit(&limit) == 0 ? limit.rlim_cur : soft)
    }

    private static func open(family: Int32) throws(SystemError) -> FileDescriptor {
        let descriptor = belfry_stream_socket(family)
        guard descriptor >= 0 else { throw .last("socket") }
        return FileDescriptor(owning: descriptor)
    }

    private static func setOption(_ option: Int32, at level: Int32, of socket: Int32, to value: Int32 = 1)
        throws(SystemError)
    {
        var value = value
        let result = setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        guard result == 0 else { throw .last("setsockopt") }
    }
}
