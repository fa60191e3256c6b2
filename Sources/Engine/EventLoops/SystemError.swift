import Glibc

/// A failed system call and its `errno`.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The system call, as in its manual page: `epoll_ctl`, `bind`.
    package let operation: String
    package let errno: Int32

    package init(operation: String, errno: Int32) {
        self.operation = operation
        self.errno = errno
    }

    /// The error of the calling thread's last failed call; must be read before any other call.
    static func last(_ operation: String) -> SystemError {
        SystemError(operation: operation, errno: Glibc.errno)
    }

    package var description: String {
        "\(operation): \(String(cString: strerror(errno))) (\(errno))"
    }
}
