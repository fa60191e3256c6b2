import ChatDomain
internal import SwiftProtobuf

/// Why bytes cannot be decoded as records.
package enum RecordError: Error, Equatable, Sendable {
    /// Not the binary form of `records.proto`'s `Frame`.
    case malformed
    /// An event of an unknown type, written by a newer server.
    case unknownEvent
    /// A field is missing or has a value that the chat would not write.
    case invalid(field: String)
}

/// The compact binary form of records (`records.proto`, version 4), as stored in the journal's frames.
package enum RecordCoder {
    /// Increases whenever an older server could not read what a newer one writes.
    package static let version: UInt32 = 4

    /// - Returns: `nil` when the frame would exceed 2 GiB.
    package static func encode(_ records: [Record]) -> [UInt8]? {
        SentMessageFrame.encode(records) ?? encodeProto(records)
    }

    /// Encodes with the generated code.
    static func encodeProto(_ records: [Record]) -> [UInt8]? {
        var frame = ProtoFrame()
        frame.records = records.map(ProtoRecord.init)
        // The same records give the same bytes in every process, including maps.
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
            positions: zip(rooms, proto.offsets).map { RoomOffset(room: $0, offset: $1) })
    }
}
