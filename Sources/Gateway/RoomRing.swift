import DequeModule

/// The last events of one room.
struct RoomRing: Sendable {
    /// Its entry in `RingSizes`: of its size class, or of a larger one if it has shrunk since.
    private(set) var listed: RingSizes.Entry
    private(set) var publications: Deque<Publication> = []
    private(set) var byteCount = 0

    /// - Parameter life: Distinguishes the ring from an earlier one of the same room.
    init(life: UInt64) { listed = RingSizes.Entry(life: life, sizeClass: -1) }

    var sizeClass: Int { RingSizes.sizeClass(of: byteCount) }

    /// - Returns: The change in bytes, and the ring's new entry if it outgrew the old one.
    mutating func changed(_ body: (inout RoomRing) -> Void) -> (bytes: Int, listed: RingSizes.Entry?) {
        let before = byteCount
        body(&self)
        return (byteCount - before, sizeClass > listed.sizeClass ? list() : nil)
    }

    /// Makes a new entry for the current size.
    mutating func list() -> RingSizes.Entry {
        listed = RingSizes.Entry(life: listed.life, sizeClass: sizeClass, turn: listed.turn &+ 1)
        return listed
    }

    mutating func append(_ publication: Publication) {
        publications.append(publication)
        byteCount += publication.byteCount
    }

    mutating func trim(to limits: RoomRings.Limits) {
        while publications.count > limits.eventsPerRoom || byteCount > limits.bytesPerRoom && publications.count > 1,
            dropFirst() != nil
        {}
    }

    mutating func dropFirst() -> Publication? {
        guard let dropped = publications.popFirst() else { return nil }
        byteCount -= dropped.byteCount
        return dropped
    }

    /// - Returns: The change in bytes.
    mutating func replace(from offset: UInt64, _ body: (Publication) -> Publication?) -> Int {
        guard let first = publications.first?.offset else { return 0 }
        let start = offset > first ? Int(clamping: offset - first) : 0
        let before = byteCount
        guard start < publications.count else { return 0 }
        for index in start..<publications.count {
            guard let publication = body(publications[index]) else { continue }
            byteCount += publication.byteCount - publications[index].byteCount
            publications[index] = publication
        }
        return byteCount - before
    }

    func unworded(at offset: UInt64) -> (any UnwordedEvent)? {
        index(of: offset).flatMap { publications[$0].unworded }
    }

    mutating func replace(at offset: UInt64, _ body: (Publication) -> Publication) {
        guard let index = index(of: offset) else { return }
        let publication = body(publications[index])
        byteCount += publication.byteCount - publications[index].byteCount
        publications[index] = publication
    }

    private func index(of offset: UInt64) -> Int? {
        guard let first = publications.first?.offset, offset >= first else { return nil }
        let index = Int(clamping: offset - first)
        return index < publications.count ? index : nil
    }
}
