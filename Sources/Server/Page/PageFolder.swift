import Glibc

/// The reason a folder cannot be served as the page.
package struct PageFolderError: Error, Equatable, CustomStringConvertible {
    package let description: String
}

extension PageFiles {
    /// Limits of the folder's contents, which are kept in memory.
    package struct Limits: Sendable {
        /// The maximum number of files and folders.
        package var entries = 1_000
        package var bytes = 16_777_216
        /// The maximum nesting depth of folders.
        package var depth = 16
        package init() {}
    }

    /// Reads all files of a folder once, skipping names that begin with a dot.
    ///
    /// - Parameter allowsGuests: Applied to an `index.html` with the `guests` meta tag, as for the embedded page.
    /// - Throws: For a folder without `index.html`; for a symbolic link or anything else that is neither a file nor a
    ///   folder; for a name that would need escaping in a URL; for a file of an unknown type; and for contents beyond
    ///   the limits.
    package init(
        folder: String, allowsGuests: Bool = false, limits: Limits = Limits()
    ) throws(PageFolderError) {
        var reading = FolderReading(folder: folder, limits: limits)
        try reading.read("", depth: 0)
        guard reading.files["/index.html"] != nil else { throw PageFolderError("\"\(folder)\" has no index.html") }
        if allowsGuests { Self.enableGuests(in: &reading.files) }
        self.init(reading.files)
    }
}

/// Walks a folder. It opens each entry without following links and checks its descriptor, so that nobody can replace
/// the entry in the meantime.
private struct FolderReading {
    let folder: String
    let limits: PageFiles.Limits
    var files: [String: PageFile] = [:]
    var entries = 0
    var bytes = 0

    /// - Parameter path: The path below the folder, with a leading slash; empty for the folder itself.
    mutating func read(_ path: String, depth: Int) throws(PageFolderError) {
        // The folder itself may be a link, because the operator named it.
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (depth == 0 ? 0 : O_NOFOLLOW)
        let descriptor = open(folder + path, flags)
        guard descriptor >= 0 else { throw unreadable(path) }
        guard let directory = fdopendir(descriptor) else {
            close(descriptor)
            throw unreadable(path)
        }
        defer { closedir(directory) }
        guard depth <= limits.depth else {
            throw failure(path, "is a folder nested more than \(limits.depth) levels deep")
        }
        while let entry = next(in: directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(".") { continue }
            entries += 1
            guard entries <= limits.entries else {
                throw PageFolderError("\"\(folder)\" has more than \(limits.entries) files and folders")
            }
            try readEntry(path + "/" + name, name, in: descriptor, depth: depth)
        }
        guard errno == 0 else { throw unreadable(path) }
    }

    /// - Returns: Nil at the end, where `errno` is 0, and on an error.
    private func next(in directory: OpaquePointer) -> UnsafeMutablePointer<dirent>? {
        errno = 0
        return readdir(directory)
    }

    private mutating func readEntry(
        _ path: String, _ name: String, in directory: Int32, depth: Int
    ) throws(PageFolderError) {
        let isPlain = name.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isPlain else { throw failure(path, "has a name that would need escaping in a URL") }
        // Non-blocking, because a pipe must not keep the server from starting.
        let descriptor = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw errno == ELOOP ? failure(path, "is a symbolic link") : unreadable(path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: try read(path, depth: depth + 1)
        case S_IFREG:
            guard let file = PageFile(path: path, bytes: try contents(of: descriptor, path)) else {
                throw failure(path, "has a file type that is not served")
            }
            files[path] = file
        default: throw failure(path, "is neither a file nor a folder")
        }
    }

    private mutating func contents(of descriptor: Int32, _ path: String) throws(PageFolderError) -> [UInt8] {
        var contents: [UInt8] = []
        while true {
            var failed = false
            let piece = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                let readCount = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                failed = readCount < 0
                count = max(0, readCount)
            }
            guard !failed else { throw unreadable(path) }
            guard !piece.isEmpty else { return contents }
            bytes += piece.count
            guard bytes <= limits.bytes else {
                throw PageFolderError("\"\(folder)\" has more than \(limits.bytes) bytes")
            }
            contents += piece
        }
    }

    private func failure(_ path: String, _ what: String) -> PageFolderError {
        PageFolderError("\"\(folder)\(path)\" \(what)")
    }

    private func unreadable(_ path: String) -> PageFolderError {
        PageFolderError("cannot read \"\(folder)\(path)\": \(String(cString: strerror(errno)))")
    }
}

extension PageFolderError {
    fileprivate init(_ description: String) { self.description = description }
}
