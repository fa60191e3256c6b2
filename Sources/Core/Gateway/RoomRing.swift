import ChatModel
import DequeModule
import WireProtocol

/// The most recent events of one room.
struct RoomRing: Sendable {
    /// The ring's latest entry in `RingSizes`; its class may be too large if the ring has shrunk since.
    private(set) var sizeEntry: RingSizes.Entry
    private(set) var events: Deque<EncodedEvent> = []
    private(set) var byteCount = 0
    /// The deletion times of messages whose content may still be in kept events.
    private var deletionTimes: [MessageID: Int64] = [:]
    /// The same messages, oldest deletion first. `last` is the last event that may contain their content.
    private var deletions: Deque<(message: MessageID, last: UInt64)> = []

    /// - Parameter generation: A number that distinguishes the ring from an earlier ring of the same room.
    init(generation: UInt64) { sizeEntry = RingSizes.Entry(generation: generation, sizeClass: -1) }

    var sizeClass: Int { RingSizes.sizeClass(of: byteCount) }

    /// - Returns: The change in bytes, and a new entry if the ring outgrew its size class.
    mutating func change(_ body: (inout RoomRing) -> Void) -> (bytes: Int, newEntry: RingSizes.Entry?) {
        let before = byteCount
        body(&self)
        return (byteCount - before, sizeClass > sizeEntry.sizeClass ? renewSizeEntry() : nil)
    }

    mutating func renewSizeEntry() -> RingSizes.Entry {
        sizeEntry = RingSizes.Entry(
            generation: sizeEntry.generation, sizeClass: sizeClass, version: sizeEntry.version &+ 1)
        return sizeEntry
    }

    mutating func append(_ event: EncodedEvent) {
        events.append(event)
        byteCount += event.byteCount
    }

    mutating func trim(to limits: RoomRings.Limits) {
        while events.count > limits.eventsPerRoom || byteCount > limits.bytesPerRoom && events.count > 1,
            dropFirst() != nil
        {}
    }

    mutating func dropFirst() -> EncodedEvent? {
        guard let dropped = events.popFirst() else { return nil }
        byteCount -= dropped.byteCount
        let first = events.first?.offset ?? .max
        while let deletion = deletions.first, deletion.last < first {
            deletions.removeFirst()
            deletionTimes[deletion.message] = nil
        }
        return dropped
    }

    /// Records the deletion. Events are redacted only on recovery: a message may have hundreds, and often nobody
    /// recovers them.
    mutating func redact(_ message: MessageID, at time: Int64) {
        // Retention may remove a deleted message, which then stays as it was deleted.
        guard let last = events.last?.offset, deletionTimes[message] == nil else { return }
        deletionTimes[message] = time
        deletions.append((message, last))
    }

    /// Returns the offset of the last event that contains some bytes.
    func lastOffset(containing bytes: [UInt8]) -> UInt64? {
        events.last { $0.data.contains(bytes: bytes) || $0.redacted?.data.contains(bytes: bytes) ?? false }?.offset
    }

    mutating func removeAll(upTo offset: UInt64) {
        while let first = events.first, first.offset <= offset { _ = dropFirst() }
    }

    mutating func trim(upTo offset: UInt64, firstKept: MessageID?, at time: Int64) {
        while let first = events.first, first.offset <= offset { _ = dropFirst() }
        func isRemoved(_ message: MessageID) -> Bool { firstKept.map { message < $0 } ?? true }
        for event in events {
            for message in [event.message, event.quoted] {
                if let message, isRemoved(message) { redact(message, at: time) }
            }
        }
    }

    var deletionCount: Int { deletions.count }

    /// - Parameter body: Returns the event without its deleted part, or `nil` if that fails.
    /// - Returns: False if `body` failed for any event.
    mutating func redact(after offset: UInt64, _ body: (EncodedEvent, DeletedPart) -> EncodedEvent?) -> Bool {
        guard let first = events.first?.offset, !deletionTimes.isEmpty else { return true }
        let start = offset >= first ? Int(clamping: offset - first) + 1 : 0
        guard start < events.count else { return true }
        for index in start..<events.count {
            guard let part = deletedPart(of: events[index]) else { continue }
            guard let redacted = body(events[index], part) else { return false }
            byteCount += redacted.byteCount - events[index].byteCount
            events[index] = redacted
        }
        return true
    }

    private func deletedPart(of event: EncodedEvent) -> DeletedPart? {
        if let message = event.message, let time = deletionTimes[message] { return .message(deletedAt: time) }
        if let quoted = event.quoted, deletionTimes[quoted] != nil { return .quote }
        return nil
    }

    func unencoded(at offset: UInt64) -> (any UnencodedEvent)? {
        index(of: offset).flatMap { events[$0].unencoded }
    }

    mutating func replace(at offset: UInt64, _ body: (EncodedEvent) -> EncodedEvent) {
        guard let index = index(of: offset) else { return }
        let event = body(events[index])
        byteCount += event.byteCount - events[index].byteCount
        events[index] = event
    }

    private func index(of offset: UInt64) -> Int? {
        guard let first = events.first?.offset, offset >= first else { return nil }
        let index = Int(clamping: offset - first)
        return index < events.count ? index : nil
    }
}
