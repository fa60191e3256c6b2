import ChatDomain
import ChatModel
internal import SwiftProtobuf

/// The encoder and decoder for a block of bodies on disk (`MessageParts` of `state.proto`).
package enum BlockCoder {
    /// The version of the format, as for `StateCoder`.
    package static let version: UInt32 = 1

    /// - Returns: The encoded block; `nil` if it would exceed 2 GiB.
    package static func encode(_ bodies: [MessageBody]) -> [UInt8]? {
        // The same bodies, including maps, must give the same bytes in every process.
        var options = BinaryEncodingOptions()
        options.useDeterministicOrdering = true
        return try? ProtoMessageParts(bodies).serializedBytes(options: options)
    }

    package static func decode(_ bytes: [UInt8]) throws(RecordError) -> [MessageBody] {
        guard let proto = try? ProtoMessageParts(serializedBytes: bytes) else { throw .malformed }
        return try proto.bodies()
    }
}

extension ProtoMessageParts {
    fileprivate init(_ bodies: [MessageBody]) {
        self.init()
        set(texts: bodies.map(\.text))
        set(clientIDs: MessageColumns.column(bodies.lazy.map(\.clientID), unless: nil))
        for (index, body) in bodies.enumerated() where body.data != nil || body.extras != nil {
            var details = MessagePart.Details()
            details.data = body.data
            details.extras = body.extras
            self.details.append(ProtoMessageDetails(details, UInt32(clamping: index)))
        }
    }

    fileprivate func bodies() throws(RecordError) -> [MessageBody] {
        let count = textSizes.count
        guard [0, count].contains(clientIDSizes.count) else { throw .invalid(field: "client_id_sizes") }
        let (texts, clientIDs) = (try decodedTexts(), try decodedClientIDs())
        var bodies = (0..<count).map {
            MessageBody(text: texts.isEmpty ? "" : texts[$0], clientID: clientIDs.isEmpty ? nil : clientIDs[$0])
        }
        for item in try decodedDetails(count) {
            (bodies[item.index].data, bodies[item.index].extras) = (item.value.data, item.value.extras)
        }
        return bodies
    }
}

extension ProtoBlockParts {
    init(_ id: ChannelID, _ parts: [BlockPart]) {
        self.init()
        channel = id.rawValue
        files = parts.map(\.reference.file)
        offsets = parts.map(\.reference.offset)
        sizes = parts.map(\.reference.size)
        counts = parts.map { UInt32(clamping: $0.count) }
        let ends = parts.compactMap(\.last)
        guard ends.count == parts.count else { return }
        lastHighs = ends.map(\.id.high)
        lastLows = ends.map(\.id.low)
        lastSteps = steps(ends.map(\.offset))
    }

    func parts() throws(RecordError) -> [BlockPart] {
        guard offsets.count == files.count, sizes.count == files.count, counts.count == files.count,
            lastHighs.isEmpty || lastHighs.count == files.count, lastLows.count == lastHighs.count,
            lastSteps.count == lastHighs.count
        else { throw .invalid(field: "blocks") }
        var last: UInt64 = 0
        return files.indices.map { index in
            var part = BlockPart(
                reference: BlockReference(file: files[index], offset: offsets[index], size: sizes[index]),
                count: Int(counts[index]))
            if !lastHighs.isEmpty {
                last &+= lastSteps[index]
                part.last = BlockEnd(id: MessageID(high: lastHighs[index], low: lastLows[index]), offset: last)
            }
            return part
        }
    }
}
