import Glibc

/// The sole owner of an open descriptor: closes it at the end of its scope, and cannot be copied, so it never closes
/// twice.
package struct FileDescriptor: ~Copyable, Sendable {
    package let rawValue: Int32

    /// Takes ownership of a descriptor that nobody else will close.
    package init(owning rawValue: Int32) {
        precondition(rawValue >= 0, "not a descriptor")
        self.rawValue = rawValue
    }

    /// Gives up ownership: the caller must close the descriptor.
    package consuming func release() -> Int32 {
        let rawValue = self.rawValue
        discard self
        return rawValue
    }

    /// Closes the descriptor now rather than at the end of the scope.
    package consuming func close() {}

    deinit {
        // Linux frees the number even when close fails (EINTR, EIO), so a retry could close another client's
        // descriptor.
        _ = Glibc.close(rawValue)
    }
}
