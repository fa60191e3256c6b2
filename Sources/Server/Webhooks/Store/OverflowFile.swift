import Journal

/// A FIFO queue, in files of the data folder, for events beyond a webhook's memory limit.
///
///     size: u32le of what follows | frame: u64le | type: u8 + bytes | id: u8 + bytes | sharer: u16le + bytes | body
///
/// The files are not synced and need not survive the process, because the log still has all events. Each file is
/// removed once it has been read.
struct OverflowFile {
    struct Entry: Equatable {
        let frame: UInt64
        let type: String
        let id: String
        let body: [UInt8]
        var sharer = Sharer.app
    }

    private struct Segment {
        let name: String
        var read = 0
        var end = 0
    }

    static let prefix = "overflow."

    private let disk: any Disk
    private let webhook: String
    private let segmentBytes: Int
    private var segments: [Segment] = []
    private var file: (any DiskFile)?
    private var lastNumber: UInt64 = 0
    private(set) var count = 0
    /// Bytes written but not read yet.
    private(set) var bytes = 0

    /// - Parameter segmentBytes: The approximate size of one file.
    init(_ disk: any Disk, webhook: String, segmentBytes: Int = 67_108_864) {
        self.disk = disk
        self.webhook = webhook
        self.segmentBytes = segmentBytes
    }

    var isEmpty: Bool { count == 0 }

    /// - Throws: When the disk fails; the entry is then not added.
    mutating func append(_ entry: Entry) throws(DiskError) {
        var payload: [UInt8] = []
        payload.reserveCapacity(entry.body.count + 384)
        for shift in stride(from: 0, to: 64, by: 8) { payload.append(UInt8(truncatingIfNeeded: entry.frame >> shift)) }
        for text in [entry.type, entry.id] {
            let utf8 = Array(text.utf8.prefix(255))
            payload.append(UInt8(utf8.count))
            payload += utf8
        }
        let sharer = Array(entry.sharer.name.utf8)
        payload += [UInt8(truncatingIfNeeded: sharer.count), UInt8(truncatingIfNeeded: sharer.count >> 8)] + sharer
        payload += entry.body
        let size = UInt32(clamping: payload.count)
        let record = (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * UInt32($0))) } + payload
        if file == nil || (segments.last?.end ?? 0) >= segmentBytes { try beginSegment() }
        guard let file, let last = segments.indices.last else { return }
        try file.write(record, at: segments[last].end)
        segments[last].end += record.count
        bytes += record.count
        count += 1
    }

    private mutating func beginSegment() throws(DiskError) {
        lastNumber += 1
        let name = "\(Self.prefix)\(webhook).\(lastNumber)"
        file = try disk.create(name)
        segments.append(Segment(name: name))
    }

    /// - Returns: The oldest entry; `nil` when the queue is empty.
    /// - Throws: When the entry cannot be read; all remaining entries are then lost.
    mutating func removeFirst() throws(DiskError) -> Entry? {
        guard let segment = segments.first, count > 0 else { return nil }
        let head = try disk.read(segment.name, at: segment.read, upTo: 4)
        var size = 0
        for byte in head.reversed() { size = size << 8 | Int(byte) }
        let payload = try disk.read(segment.name, at: segment.read + 4, upTo: size)
        segments[0].read += 4 + size
        bytes -= 4 + size
        count -= 1
        if segments[0].read >= segments[0].end { dropFirstSegment() }
        return Self.entry(payload[...])
    }

    private mutating func dropFirstSegment() {
        try? disk.remove(segments.removeFirst().name)
        if segments.isEmpty { file = nil }
    }

    private static func entry(_ payload: ArraySlice<UInt8>) -> Entry? {
        var rest = payload.dropFirst(8)
        var frame: UInt64 = 0
        for byte in payload.prefix(8).reversed() { frame = frame << 8 | UInt64(byte) }
        func number() -> Int { Int(rest.popFirst() ?? 0) }
        func text(_ count: Int) -> String {
            defer { rest = rest.dropFirst(count) }
            return String(decoding: rest.prefix(count), as: UTF8.self)
        }
        let type = text(number())
        let id = text(number())
        let sharer = Sharer(name: text(number() + number() << 8))
        return Entry(frame: frame, type: type, id: id, body: Array(rest), sharer: sharer)
    }

    mutating func removeAll() {
        while !segments.isEmpty { dropFirstSegment() }
        (count, bytes, file) = (0, 0, nil)
    }

    /// Removes files left by an earlier process.
    static func clean(_ disk: any Disk) {
        for name in (try? disk.names()) ?? [] where name.hasPrefix(prefix) { try? disk.remove(name) }
    }
}
