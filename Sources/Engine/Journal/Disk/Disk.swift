import Glibc

/// A folder of files for the journal: a real one, or one in which tests simulate failures and crashes.
///
/// Written bytes are durable once the file's `sync` succeeds. Created, renamed and removed files are durable once
/// `syncFolder` succeeds.
package protocol Disk: AnyObject, Sendable {
    /// Returns the names of the files, sorted by their bytes.
    func names() throws(DiskError) -> [String]

    func read(_ name: String) throws(DiskError) -> [UInt8]

    /// Reads a part of a file. Returns fewer bytes at the end of the file and none beyond it.
    func read(_ name: String, at offset: Int, upTo count: Int) throws(DiskError) -> [UInt8]

    /// Returns the size of a file in bytes.
    func size(of name: String) throws(DiskError) -> Int

    /// Opens a file for reading, also after it is removed.
    func open(_ name: String) throws(DiskError) -> any OpenFile

    /// Creates an empty file, replacing an existing one.
    func create(_ name: String) throws(DiskError) -> any DiskFile

    /// Renames a file, replacing any existing file with the new name.
    func rename(_ name: String, to newName: String) throws(DiskError)

    func remove(_ name: String) throws(DiskError)

    /// Overwrites parts of a file with zeros, and waits until they are on disk.
    func erase(_ ranges: [Range<Int>], of name: String) throws(DiskError)

    func syncFolder() throws(DiskError)
}

extension Disk {
    package func size(of name: String) throws(DiskError) -> Int { try read(name).count }
}

/// A file open for reading. It is closed when the last reference is released. Any thread may read.
package protocol OpenFile: AnyObject, Sendable {
    /// Returns fewer bytes at the end of the file and none beyond it.
    func read(at offset: Int, upTo count: Int) throws(DiskError) -> [UInt8]
}

/// A file open for writing. It is closed when the last reference is released.
package protocol DiskFile: AnyObject, Sendable {
    /// Reserves space up to a size, so that writes within it cannot run out of space. Unwritten parts read as zeros.
    func allocate(_ size: Int) throws(DiskError)

    /// Writes all of the bytes; there are no short writes.
    func write(_ bytes: [UInt8], at offset: Int) throws(DiskError)

    func truncate(to size: Int) throws(DiskError)

    /// Waits until the written bytes are on disk. After a failure, the contents of the file are unknown.
    func sync() throws(DiskError)
}

package struct DiskError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the system call, as in its manual page.
    package let operation: String
    package let path: String
    package let code: Int32

    package init(operation: String, path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// Whether the file does not exist.
    package var isMissing: Bool { code == ENOENT }

    package var description: String { "\(operation) \(path): \(PosixDisk.text(of: code))" }
}
