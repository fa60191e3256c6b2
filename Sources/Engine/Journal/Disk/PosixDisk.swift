import Glibc

/// A folder in the file system.
package final class PosixDisk: Disk {
    let folder: String

    /// - Parameter folder: The folder; created if missing, readable only by its owner.
    package init(folder: String) throws(DiskError) {
        self.folder = folder
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .last("mkdir", folder) }
    }

    /// - Parameter folder: An existing folder. This is not checked; if it is missing, the first call fails.
    package init(existing folder: String) { self.folder = folder }

    static func text(of code: Int32) -> String { String(cString: strerror(code)) }

    package func names() throws(DiskError) -> [String] {
        guard let directory = opendir(folder) else { throw .last("opendir", folder) }
        defer { closedir(directory) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw .last("readdir", folder) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    package func read(_ name: String) throws(DiskError) -> [UInt8] {
        let file = try PosixOpenFile(path(name))
        return try file.read(at: 0, upTo: file.size())
    }

    package func read(_ name: String, at offset: Int, upTo count: Int) throws(DiskError) -> [UInt8] {
        try PosixOpenFile(path(name)).read(at: offset, upTo: count)
    }

    package func size(of name: String) throws(DiskError) -> Int {
        var status = stat()
        guard stat(path(name), &status) == 0 else { throw .last("stat", path(name)) }
        return Int(status.st_size)
    }

    package func open(_ name: String) throws(DiskError) -> any OpenFile { try PosixOpenFile(path(name)) }

    package func create(_ name: String) throws(DiskError) -> any DiskFile {
        let path = path(name)
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last("open", path) }
        return PosixFile(descriptor: descriptor, path: path)
    }

    package func rename(_ name: String, to newName: String) throws(DiskError) {
        guard Glibc.rename(path(name), path(newName)) == 0 else { throw .last("rename", path(name)) }
    }

    package func remove(_ name: String) throws(DiskError) {
        guard unlink(path(name)) == 0 else { throw .last("unlink", path(name)) }
    }

    package func erase(_ ranges: [Range<Int>], of name: String) throws(DiskError) {
        let path = path(name)
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open", path) }
        let file = PosixFile(descriptor: descriptor, path: path)
        let old = try open(name)
        for range in ranges { try file.erase(range, old) }
        try file.sync()
    }

    package func syncFolder() throws(DiskError) {
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .last("fsync", folder) }
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }
}

private final class PosixOpenFile: OpenFile {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws(DiskError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open", path) }
    }

    deinit { close(descriptor) }

    func size() throws(DiskError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last("fstat", path) }
        return Int(status.st_size)
    }

    func read(at offset: Int, upTo size: Int) throws(DiskError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let got = pread(
                    descriptor, buffer.baseAddress?.advanced(by: count), size - count, off_t(offset + count))
                if got < 0, errno == EINTR { continue }
                if got < 0 { code = errno }
                if got <= 0 { return }
                count += got
            }
        }
        guard code == 0 else { throw DiskError(operation: "pread", path: path, code: code) }
        return bytes
    }
}

/// A file that writes zeros ahead into preallocated space. The first write to a preallocated block must also mark it as
/// in use, and a sync waits for that too. Because of the zeros, most syncs need only one disk write instead of two and
/// take half the time.
///
/// Used only by the queue of its writer.
private final class PosixFile: DiskFile, @unchecked Sendable {
    private static let zeros = [UInt8](repeating: 0, count: 262_144)

    private let descriptor: Int32
    private let path: String
    /// The number of preallocated bytes; 0 for a file that grows as it is written.
    private var allocated = 0
    /// The end of the blocks already in use.
    private var inUse = 0

    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    func allocate(_ size: Int) throws(DiskError) {
        let code = posix_fallocate(descriptor, 0, off_t(size))
        guard code == 0 else { throw DiskError(operation: "posix_fallocate", path: path, code: code) }
        allocated = max(allocated, size)
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(DiskError) {
        try writeAll(bytes[...], at: offset)
        let end = offset + bytes.count
        guard end > inUse else { return }
        inUse = end
        let ahead = min(Self.zeros.count, allocated - end)
        guard ahead > 0 else { return }
        try writeAll(Self.zeros[..<ahead], at: end)
        inUse = end + ahead
    }

    private func writeAll(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(DiskError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(
                    descriptor, buffer.baseAddress?.advanced(by: written), bytes.count - written,
                    off_t(offset + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .last("pwrite", path) }
            written += count
        }
    }

    func truncate(to size: Int) throws(DiskError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw .last("ftruncate", path) }
        allocated = min(allocated, size)
        inUse = min(inUse, size)
    }

    /// Overwrites what is not zero yet.
    func erase(_ range: Range<Int>, _ old: any OpenFile) throws(DiskError) {
        var start = range.lowerBound
        while start < range.upperBound {
            let count = min(Self.zeros.count, range.upperBound - start)
            let isErased = try old.read(at: start, upTo: count).allSatisfy { $0 == 0 }
            if !isErased { try writeAll(Self.zeros[..<count], at: start) }
            start += count
        }
    }

    func sync() throws(DiskError) {
        guard fdatasync(descriptor) == 0 else { throw .last("fdatasync", path) }
    }
}

extension DiskError {
    /// Returns an error with the calling thread's `errno`.
    static func last(_ operation: String, _ path: String) -> DiskError {
        DiskError(operation: operation, path: path, code: errno)
    }
}
