import ChatDomain
internal import SwiftProtobuf

/// An error in decoding records.
package enum RecordError: Error, Equatable, Sendable {
    /// The bytes are not an encoded `Frame` of `records.proto`.
    case malformed
    /// An event of an unknown type, written by a newer server.
    case unknownEvent
    /// A field is missing or has a value that the chat never writes.
    case invalid(field: String)
}

/// The encoder and decoder for records in the journal's frames (`records.proto`, version 8).
package enum RecordCoder {
    /// The version of the format. It increases when older servers cannot read what a newer server writes.
    package static let version: UInt32 = 8

    /// The oldest version that can still be written, for nodes of a cluster that do not read a newer one.
    package static let oldestWritten: UInt32 = 4

    /// Returns whether a version of the format can express the records.
    package static func expresses(_ records: [Record], version: UInt32) -> Bool {
        version >= Self.version || records.allSatisfy { $0.event.leastVersion <= version }
    }

    /// - Parameter version: The version to write, from `oldestWritten` on.
    /// - Returns: The encoded frame; `nil` if it would exceed 2 GiB.
    package static func encode(_ records: [Record], version: UInt32 = version) -> [UInt8]? {
        let records = version < Self.version ? records.map { $0.reduced(to: version) } : records
        return SentMessageFrame.encode(records) ?? encodeProto(records)
    }

    /// Encodes records with the generated code.
    static func encodeProto(_ records: [Record]) -> [UInt8]? {
        var frame = ProtoFrame()
        frame.records = records.map(ProtoRecord.init)
        // The same records, including maps, must give the same bytes in every process.
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
