import Glibc

/// A lock of a file among processes (flock(2)); it ends with whoever holds it.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// - Parameters:
    ///   - path: Made when it is missing, readable by its owner alone.
    ///   - isPatient: Waits until it is free.
    /// - Returns: `nil` when someone else holds it.
    package init?(_ path: String, isPatient: Bool = false) throws(DiskError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last("open", path) }
        self.descriptor = descriptor
        while flock(descriptor, isPatient ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return nil
            default: throw .last("flock", path)
            }
        }
    }

    deinit { close(descriptor) }
}
