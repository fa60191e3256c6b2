import Glibc

/// An advisory lock between processes (flock(2)). It is released on deinit or when the process ends.
package final class FileLock: Sendable {
    let descriptor: Int32

    /// - Parameters:
    ///   - path: The lock file; created if missing, readable only by its owner.
    ///   - isBlocking: Whether to wait for the lock.
    /// - Returns: `nil` if another process holds the lock.
    package init?(_ path: String, isBlocking: Bool = false) throws(DiskError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last("open", path) }
        self.descriptor = descriptor
        while flock(descriptor, isBlocking ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return nil
            default: throw .last("flock", path)
            }
        }
    }

    deinit {
        // A child process may have a copy of the descriptor until it has closed it, and would keep the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
