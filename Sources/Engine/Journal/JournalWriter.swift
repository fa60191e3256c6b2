import Records

/// A writer that appends frames to segments. Used by one queue at a time.
///
/// After an error, the state of the last segment is unknown, and the writer must not be used again.
struct JournalWriter {
    private struct Segment {
        let file: any DiskFile
        let salt: UInt64
        let capacity: Int
        /// The offset of the next frame.
        var end: Int
    }

    private let disk: any Disk
    private let options: JournalOptions
    private var salts: any RandomNumberGenerator & Sendable
    private var current: Segment
    /// A preallocated file for the next segment.
    private var spare: (file: any DiskFile, capacity: Int)?
    private(set) var next: UInt64
    private var unsynced: UInt32 = 0
    /// The bytes of the current write. The memory is kept for the next one.
    private var buffer: [UInt8] = []
    private static let keptBytes = 65_536
    /// The total size in bytes of the segments that this writer has closed.
    private(set) var closedBytes = 0

    /// Begins a new segment.
    init(
        _ disk: any Disk, next: UInt64, options: JournalOptions, salts: any RandomNumberGenerator & Sendable
    ) throws(DiskError) {
        self.disk = disk
        self.options = options
        self.salts = salts
        self.next = next
        let spare = try Self.allocate(disk, options.segmentBytes)
        current = try Self.begin(spare, first: next, salt: self.salts.next(), on: disk)
    }

    /// The number of bytes guaranteed to fit, however they are divided into batches.
    var free: Int {
        let rest = current.capacity - current.end - FrameFormat.headerSize
        return max(rest, spare.map { $0.capacity - FileHeader.size - FrameFormat.headerSize } ?? 0)
    }

    /// The number of bytes that fit without other disk work, such as beginning a segment or allocating a spare.
    var room: Int { wantsSpare ? 0 : current.capacity - current.end - FrameFormat.headerSize }

    var hasSpare: Bool { spare != nil }
    var wantsSpare: Bool { spare == nil && current.end > current.capacity / 2 }

    /// Allocates a spare for the next rotation if there is none.
    mutating func prepareSpare() throws(DiskError) {
        if spare == nil { spare = try Self.allocate(disk, options.segmentBytes) }
    }

    /// Writes frames numbered from `next` on, in a single write.
    mutating func write(_ payloads: [[UInt8]]) throws(DiskError) {
        let size = payloads.reduce(0) { $0 + $1.count + FrameFormat.headerSize }
        if size + FrameFormat.headerSize > current.capacity - current.end { try rotate(toFit: size) }
        buffer.removeAll(keepingCapacity: buffer.capacity <= Self.keptBytes)
        buffer.reserveCapacity(size)
        for payload in payloads {
            try FrameFormat.append(payload, sequence: next, unsynced: unsynced, salt: current.salt, to: &buffer)
            next &+= 1
            if unsynced < .max { unsynced += 1 }
        }
        try current.file.write(buffer, at: current.end)
        current.end += buffer.count
    }

    mutating func sync() throws(DiskError) {
        try current.file.sync()
        unsynced = 0
    }

    /// Closes the current segment with a seal, so that readers know that it is complete.
    mutating func seal() throws(DiskError) {
        var bytes: [UInt8] = []
        try FrameFormat.append([], sequence: next, unsynced: unsynced, salt: current.salt, to: &bytes)
        try current.file.write(bytes, at: current.end)
        try current.file.truncate(to: current.end + bytes.count)
        try sync()
    }

    /// Closes the current segment and begins the next, unless it is empty.
    mutating func rotate() throws(DiskError) {
        if current.end > FileHeader.size { try rotate(toFit: 0) }
    }

    private mutating func rotate(toFit size: Int) throws(DiskError) {
        try seal()
        closedBytes += current.end
        let needed = FileHeader.size + size + FrameFormat.headerSize
        if let spare, spare.capacity < needed { self.spare = nil }
        let fresh: (any DiskFile, Int)
        if let spare { fresh = spare } else { fresh = try Self.allocate(disk, max(options.segmentBytes, needed)) }
        spare = nil
        current = try Self.begin(fresh, first: next, salt: salts.next(), on: disk)
    }

    private static func allocate(_ disk: any Disk, _ size: Int) throws(DiskError) -> (any DiskFile, Int) {
        let file = try disk.create(FileName.spare)
        try file.allocate(size)
        return (file, size)
    }

    /// Begins a segment, which gets its name once its header is on disk.
    private static func begin(
        _ spare: (file: any DiskFile, capacity: Int), first: UInt64, salt: UInt64, on disk: any Disk
    ) throws(DiskError) -> Segment {
        let header = FileHeader(.segment, contentVersion: RecordCoder.version, salt: salt, number: first)
        try spare.file.write(header.encoded(), at: 0)
        try spare.file.sync()
        try disk.rename(FileName.spare, to: FileName.segment.name(first))
        try disk.syncFolder()
        return Segment(file: spare.file, salt: salt, capacity: spare.capacity, end: FileHeader.size)
    }
}
