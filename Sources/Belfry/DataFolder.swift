import FoundationEssentials
import Glibc

/// The folder in which a server keeps what outlives it; one server at a time.
final class DataFolder: Sendable {
    let path: String
    private let lock: Int32

    /// Makes the folder when it is missing, readable by its owner alone, and locks it.
    ///
    /// - Throws: When it cannot be made, or another server uses it.
    init(_ path: String) throws(ConfigurationError) {
        self.path = path
        try Self.make(path)
        let lock = open(path + "/belfry.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw ConfigurationError("\(path) is not writable: \(Self.lastError)") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw ConfigurationError("\(path) is in use by another belfry: give this one another --data folder")
        }
        self.lock = lock
    }

    deinit { close(lock) }

    static func make(_ path: String) throws(ConfigurationError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ConfigurationError("the data folder \(path) cannot be made: \(lastError)")
        }
    }

    private static var lastError: String { String(cString: strerror(errno)) }

    static func read(_ path: String) throws(ConfigurationError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError("\(path) cannot be read: \(lastError)")
        }
        return Array(data)
    }

    /// Writes a new file that only its owner may read; `false` when it is there already.
    static func writeNew(_ path: String, _ bytes: [UInt8]) throws(ConfigurationError) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file < 0, errno == EEXIST { return false }
        guard file >= 0 else { throw ConfigurationError("\(path) cannot be written: \(lastError)") }
        defer { close(file) }
        guard bytes.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == bytes.count, fsync(file) == 0
        else {
            unlink(path)
            throw ConfigurationError("\(path) cannot be written: \(lastError)")
        }
        return true
    }
}
