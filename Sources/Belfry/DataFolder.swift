import FoundationEssentials
import Glibc
import Journal

/// The folder of a server's persistent data, locked so that only one server uses it.
final class DataFolder: Sendable {
    let path: String
    private let lock: FileLock

    /// Creates the folder if it is missing, readable by its owner only, and locks it.
    ///
    /// - Throws: When it cannot be created, another server uses it, or another user owns it. A single run as the wrong
    ///   user would leave files that the right user cannot read.
    init(_ path: String) throws(ConfigurationError) {
        self.path = path
        try Self.make(path)
        try Self.checkOwner(path)
        let lock: FileLock?
        do throws(DiskError) {
            lock = try FileLock(path + "/belfry.lock")
        } catch {
            throw Storage.refusal(.disk(error))
        }
        guard let lock else {
            throw ConfigurationError("\"\(path)\" is in use by another server: stop it, or use another --data folder")
        }
        self.lock = lock
        try JournalReplacement(folder: path).finish()
    }

    static func checkOwner(_ path: String) throws(ConfigurationError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ConfigurationError("cannot use \"\(path)\": \(lastError)", exitCode: EX_IOERR)
        }
        guard status.st_uid == geteuid() else {
            throw ConfigurationError(
                "\"\(path)\" belongs to user \(status.st_uid), and this process runs as user \(geteuid()): "
                    + "run it as the folder's owner, or change the owner (chown -R)", exitCode: EX_NOPERM)
        }
    }

    static func make(_ path: String) throws(ConfigurationError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ConfigurationError("cannot create the data folder \"\(path)\": \(lastError)")
        }
    }

    private static var lastError: String { String(cString: strerror(errno)) }

    static func read(_ path: String) throws(ConfigurationError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError("cannot read \"\(path)\": \(lastError)")
        }
        return Array(data)
    }

    /// Writes a new file that only its owner can read; returns `false` when the file already exists.
    static func writeNew(_ path: String, _ bytes: [UInt8]) throws(ConfigurationError) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file < 0, errno == EEXIST { return false }
        guard file >= 0 else { throw ConfigurationError("cannot write \"\(path)\": \(lastError)") }
        defer { close(file) }
        guard bytes.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == bytes.count, fsync(file) == 0
        else {
            unlink(path)
            throw ConfigurationError("cannot write \"\(path)\": \(lastError)")
        }
        return true
    }
}
