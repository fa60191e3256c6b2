import Glibc

extension Sockets {
    /// Takes over a listening socket that the previous process opened, and makes it non-blocking and close-on-exec.
    ///
    /// - Returns: The descriptor, now owned by the caller.
    /// - Throws: `SystemError`: EBADF if it is not an open descriptor, ENOTSOCK, EINVAL if the socket is not listening,
    ///   and EAFNOSUPPORT if it is neither IPv4 nor IPv6.
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
