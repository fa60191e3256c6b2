import Glibc

/// A folder of files, as the journal needs it: a real one, or one that a test makes fail and crash.
///
/// Written bytes are durable once `sync` of their file has succeeded; creations, renames and removals are once
/// `syncFolder` has.
package protocol Disk: AnyObject, Sendable {
    /// Names of the files, sorted bytewise.
    func names() throws(DiskError) -> [String]

    func read(_ name: String) throws(DiskError) -> [UInt8]

    /// Reads a part of a file: fewer bytes at its end, none beyond it.
    func read(_ name: String, at offset: Int, upTo count: Int) throws(DiskError) -> [UInt8]

    /// Creates an empty file, replacing an existing one.
    func create(_ name: String) throws(DiskError) -> any DiskFile

    /// Replaces a file that already has the new name.
    func rename(_ name: String, to newName: String) throws(DiskError)

    func remove(_ name: String) throws(DiskError)

    func syncFolder() throws(DiskError)
}

/// A file open for writing. Closed when the last reference is released.
package protocol DiskFile: AnyObject, Sendable {
    /// Reserves space up to a size, so that writes within it cannot run out of space; unwritten parts read as
    /// zeros.
    func allocate(_ size: Int) throws(DiskError)

    /// Writes all of the bytes: there are no short writes.
    func write(_ bytes: [UInt8], at offset: Int) throws(DiskError)

    /// Cuts the file off at a size.
    func truncate(to size: Int) throws(DiskError)

    /// Waits until the written bytes are on the disk. After a failure, the contents of the file are unknown.
    func sync() throws(DiskError)
}

package struct DiskError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The system call, named as in its manual page.
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
