import ChatModel
import DequeModule

/// The last events of one room.
struct RoomRing: Sendable {
    /// Its entry in `RingSizes`: of its size class, or of a larger one if it has shrunk since.
    private(set) var listed: RingSizes.Entry
    private(set) var publications: Deque<Publication> = []
    private(set) var byteCount = 0
    /// When messages were deleted whose content kept events may hold.
    private var deletionTimes: [MessageID: Int64] = [:]
    /// The same messages, oldest deletion first. `last` is the last event that may hold their content.
    private var deletions: Deque<(message: MessageID, last: UInt64)> = []

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
        let first = publications.first?.offset ?? .max
        while let deletion = deletions.first, deletion.last < first {
            deletions.removeFirst()
            deletionTimes[deletion.message] = nil
        }
        return dropped
    }

    /// Records the deletion only. A message may have hundreds of events, and nobody may ever recover them.
    mutating func redact(_ message: MessageID, at time: Int64) {
        guard let last = publications.last?.offset, deletionTimes.updateValue(time, forKey: message) == nil else {
            return
        }
        deletions.append((message, last))
    }

    var deletionCount: Int { deletions.count }

    /// - Parameter body: Gives the event without its deleted part; `nil` if it cannot.
    /// - Returns: False if it could not for some event.
    mutating func redact(after offset: UInt64, _ body: (Publication, DeletedPart) -> Publication?) -> Bool {
        guard let first = publications.first?.offset, !deletionTimes.isEmpty else { return true }
        let start = offset >= first ? Int(clamping: offset - first) + 1 : 0
        guard start < publications.count else { return true }
        for index in start..<publications.count {
            guard let part = deletedPart(of: publications[index]) else { continue }
            guard let redacted = body(publications[index], part) else { return false }
            byteCount += redacted.byteCount - publications[index].byteCount
            publications[index] = redacted
        }
        return true
    }

    private func deletedPart(of publication: Publication) -> DeletedPart? {
        if let message = publication.message, let time = deletionTimes[message] { return .message(deletedAt: time) }
        if let quoted = publication.quoted, deletionTimes[quoted] != nil { return .quote }
        return nil
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
