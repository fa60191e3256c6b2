import Glibc

/// The kernel said no: which call, and the `errno` it left.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The system call, as in its manual page: `epoll_ctl`, `bind`.
    package let operation: String
    package let errno: Int32

    package init(operation: String, errno: Int32) {
        self.operation = operation
        self.errno = errno
    }

    /// The error the calling thread's last failed call left; to be read before anything else is called.
    static func last(_ operation: String) -> SystemError {
        SystemError(operation: operation, errno: Glibc.errno)
    }

    package var description: String {
        "\(operation): \(String(cString: strerror(errno))) (\(errno))"
    }
}
