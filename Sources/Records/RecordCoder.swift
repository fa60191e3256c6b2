import ChatDomain
internal import SwiftProtobuf

/// Why bytes are no records.
package enum RecordError: Error, Equatable, Sendable {
    /// Not the binary form of `records.proto`'s `Frame`.
    case malformed
    /// An event of a kind that this version does not know: written by a newer server.
    case unknownEvent
    /// A field has no value or none that the chat could have written.
    case invalid(field: String)
}

/// The compact binary form of records (`records.proto`, version 4): what the journal keeps in a frame.
package enum RecordCoder {
    /// Counts up whenever an older server could not read what a newer one writes.
    package static let version: UInt32 = 4

    /// - Returns: `nil` when the frame would be larger than 2 GiB.
    package static func encode(_ records: [Record]) -> [UInt8]? {
        SentMessageFrame.encode(records) ?? encodeProto(records)
    }

    /// By way of the generated code.
    static func encodeProto(_ records: [Record]) -> [UInt8]? {
        var frame = ProtoFrame()
        frame.records = records.map(ProtoRecord.init)
        // The same records give the same bytes in every process, maps too.
        var options = BinaryEncodingOptions()
        options.useDeterministicOrdering = true
        return try? frame.serializedBytes(options: options)
    }

    package static func decode(_ bytes: [UInt8]) throws(RecordError) -> [Record] {
        if let records = SentMessageFrame.decode(bytes) { return records }
        return try decodeProto(bytes)
    }

    static func decodeProto(_ bytes: [UInt8]) throws(RecordError) -> [Record] {
        guard let frame = try? ProtoFrame(serializedBytes: bytes) else { throw .malformed }
        var records: [Record] = []
        records.reserveCapacity(frame.records.count)
        for proto in frame.records { records.append(try Record(proto)) }
        return records
    }
}

extension ProtoRecord {
    init(_ record: Record) {
        self.init()
        at = record.at
        by = record.by?.rawValue ?? ""
        offsets = record.positions.map(\.offset)
        event = OneOf_Event(record.event)
    }
}

extension Record {
    init(_ proto: ProtoRecord) throws(RecordError) {
        guard let kind = proto.event else { throw .unknownEvent }
        let event = try Event(kind)
        let rooms = event.rooms
        guard rooms.count == proto.offsets.count else { throw .invalid(field: "offsets") }
        self.init(
            event: event, at: proto.at, by: try optionalUser(proto.by, "by"),
            positions: zip(rooms, proto.offsets).map { Position(room: $0, offset: $1) })
    }
}
