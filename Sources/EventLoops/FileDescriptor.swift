import Glibc

/// The one owner of an open descriptor: closes it when it goes out of scope, and cannot be copied, so never twice.
package struct FileDescriptor: ~Copyable, Sendable {
    package let rawValue: Int32

    /// Takes over a descriptor nobody else will close.
    package init(owning rawValue: Int32) {
        precondition(rawValue >= 0, "not a descriptor")
        self.rawValue = rawValue
    }

    /// Gives the ownership away: the caller closes it from here on.
    package consuming func release() -> Int32 {
        let rawValue = self.rawValue
        discard self
        return rawValue
    }

    /// Closes it now rather than at the end of the scope.
    package consuming func close() {}

    deinit {
        // Linux frees the number even when close fails (EINTR, EIO), so a second try could hit another client's.
        _ = Glibc.close(rawValue)
    }
}
