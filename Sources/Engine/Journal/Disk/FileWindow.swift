/// A sequential reader for a file that reads a few megabytes at a time.
struct FileWindow {
    private static let slice = 4_194_304

    private let disk: any Disk
    private let name: String
    private var buffer: [UInt8] = []
    private var start = 0
    /// The file offset of the next byte.
    private(set) var offset = 0

    init(disk: any Disk, name: String) {
        self.disk = disk
        self.name = name
    }

    /// Returns the next bytes without consuming them; `nil` if fewer are left.
    mutating func peek(_ count: Int) throws(JournalError) -> ArraySlice<UInt8>? {
        while buffer.count - start < count {
            let (disk, name, position) = (disk, name, offset + buffer.count - start)
            let missing = max(Self.slice, count - (buffer.count - start))
            let more = try JournalError.wrapping { () throws(DiskError) in
                try disk.read(name, at: position, upTo: missing)
            }
            if more.isEmpty { return nil }
            buffer.removeSubrange(..<start)
            buffer += more
            start = 0
        }
        return buffer[start..<start + count]
    }

    /// - Returns: The next bytes; `nil` if fewer are left.
    mutating func read(_ count: Int) throws(JournalError) -> [UInt8]? {
        guard let bytes = try peek(count).map(Array.init) else { return nil }
        start += count
        offset += count
        return bytes
    }

    /// Reads the next few megabytes; `nil` at the end of the file.
    mutating func readSome() throws(JournalError) -> [UInt8]? {
        guard try peek(1) != nil else { return nil }
        return try read(buffer.count - start)
    }
}
