import Glibc

/// One folder of files, as the journal needs it: the real one, or one that a test lets fail and crash.
///
/// What was written is durable once `sync` of its file has succeeded; a name, a rename and a removal once `syncFolder`
/// has.
package protocol Disk: AnyObject, Sendable {
    /// Names of the files, sorted by their bytes.
    func names() throws(DiskError) -> [String]

    func read(_ name: String) throws(DiskError) -> [UInt8]

    /// A part of a file: fewer bytes where it ends, none behind its end.
    func read(_ name: String, at offset: Int, upTo count: Int) throws(DiskError) -> [UInt8]

    /// A new, empty file, also where one of that name was.
    func create(_ name: String) throws(DiskError) -> any DiskFile

    /// Takes the place of a file that has the new name.
    func rename(_ name: String, to newName: String) throws(DiskError)

    func remove(_ name: String) throws(DiskError)

    func syncFolder() throws(DiskError)
}

/// A file that is being written. Closed when nothing refers to it any more.
package protocol DiskFile: AnyObject, Sendable {
    /// Sets aside the space up to a size, so that writing there cannot run out of it; the file reads as zeros there.
    func allocate(_ size: Int) throws(DiskError)

    /// Writes all of the bytes.
    func write(_ bytes: [UInt8], at offset: Int) throws(DiskError)

    /// Cuts the file off at a size.
    func truncate(to size: Int) throws(DiskError)

    /// Waits until what was written is on the disk. Once it has failed, what happened to the file is unknown.
    func sync() throws(DiskError)
}

package struct DiskError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The system call, as in its manual page.
    package let operation: String
    package let path: String
    package let code: Int32

    package init(operation: String, path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// Whether what was asked for is not there.
    package var isMissing: Bool { code == ENOENT }

    package var description: String { "\(operation) \(path): \(PosixDisk.text(of: code))" }
}
