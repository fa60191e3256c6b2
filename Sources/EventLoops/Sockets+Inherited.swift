import Glibc

extension Sockets {
    /// Takes over a listening socket that was opened by the process before, made non-blocking and closed on exec.
    ///
    /// - Returns: The number, whose owner the caller is now.
    /// - Throws: `SystemError`: EBADF for no open descriptor, ENOTSOCK, EINVAL for a socket that does not listen, and
    ///   EAFNOSUPPORT for one of neither IPv4 nor IPv6.
    package static func inherit(_ descriptor: Int32) throws(SystemError) -> Int32 {
        var isListening: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length) == 0 else {
            throw .last("getsockopt")
        }
        guard isListening != 0 else { throw SystemError(operation: "SO_ACCEPTCONN", errno: EINVAL) }
        guard localAddress(of: descriptor) != nil else {
            throw SystemError(operation: "getsockname", errno: EAFNOSUPPORT)
        }
        let status = fcntl(descriptor, F_GETFL)
        guard status >= 0, fcntl(descriptor, F_SETFL, status | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw .last("fcntl") }
        return descriptor
    }
}
