import ChatModel
internal import FoundationEssentials
import Gateway
internal import SwiftProtobuf

extension LogMessage {
    /// Returns the encoded message. The same message has the same bytes in every process, because a repeated append must
    /// be identical.
    package func encoded() -> [UInt8] {
        var proto = ProtoLogMessage()
        proto.term = term
        proto.writer = ProtoNode(writer)
        proto.firstFrame = firstFrame
        proto.previousHigh = previous.high
        proto.previousLow = previous.low
        proto.recordVersion = recordVersion
        switch content {
        case .genesis(let cluster): proto.genesis.cluster = cluster
        case .termStart: proto.termStart = ProtoTermStart()
        case .batch(let frames): proto.batch.frames = frames.map(ProtoFrame.init)
        case .part(let frame, let index, let count):
            proto.part.frame = ProtoFrame(frame)
            proto.part.index = UInt32(index)
            proto.part.count = UInt32(count)
        }
        do {
            return try proto.serializedBytes()
        } catch {
            // The encoder fails only for messages of more than 2 GiB and for required fields, which proto3 does not have.
            preconditionFailure("a message of the log cannot be encoded: \(error)")
        }
    }

    /// Decodes a message.
    package init(_ bytes: [UInt8]) throws(LogMessageError) {
        guard bytes.count <= Self.sizeLimit else { throw .tooLarge(bytes: bytes.count) }
        guard let proto = try? ProtoLogMessage(serializedBytes: bytes) else { throw .malformed }
        guard let kind = proto.content else { throw .unknownKind }
        let content = try Content(kind)
        let isGenesis = if case .genesis = content { true } else { false }
        guard proto.term <= Self.numberLimit, isGenesis == (proto.term == 0) else { throw .invalid(field: "term") }
        guard (1...Self.numberLimit).contains(proto.firstFrame) else { throw .invalid(field: "first_frame") }
        self.init(
            term: proto.term, writer: try NodeID(proto.writer, "writer"), firstFrame: proto.firstFrame,
            previous: LogDigest(high: proto.previousHigh, low: proto.previousLow),
            recordVersion: proto.recordVersion, content: content)
    }

    /// A bound of the size of an encoded message by a writer, without the frames.
    static func overhead(writer: NodeID) -> Int { writer.encodedLimit + 80 }
}

extension LogMessage.Content {
    fileprivate init(_ kind: ProtoLogMessage.OneOf_Content) throws(LogMessageError) {
        switch kind {
        case .genesis(let genesis):
            guard (1...LogMessage.clusterLimit).contains(genesis.cluster.utf8.count) else {
                throw .invalid(field: "cluster")
            }
            self = .genesis(cluster: genesis.cluster)
        case .termStart: self = .termStart
        case .batch(let batch):
            guard !batch.frames.isEmpty else { throw .invalid(field: "frames") }
            var frames: [LogFrame] = []
            frames.reserveCapacity(batch.frames.count)
            for frame in batch.frames { frames.append(try LogFrame(frame)) }
            self = .batch(frames)
        case .part(let part):
            guard (2...LogMessage.partLimit).contains(Int(part.count)), part.index < part.count else {
                throw .invalid(field: "part")
            }
            let frame = try LogFrame(part.frame)
            guard !frame.payload.isEmpty else { throw .invalid(field: "payload") }
            self = .part(frame, index: Int(part.index), count: Int(part.count))
        }
    }
}

extension LogFrame {
    fileprivate init(_ proto: ProtoFrame) throws(LogMessageError) {
        let tag = Tag(
            origin: try NodeID(proto.origin, "origin"), serial: proto.serial,
            id: MessageID(high: proto.idHigh, low: proto.idLow),
            refusal: proto.hasRefusal ? [UInt8](proto.refusal) : nil, kept: proto.hasKept ? [UInt8](proto.kept) : nil)
        self.init(tag, payload: [UInt8](proto.payload))
        guard fits else { throw .invalid(field: "refusal") }
    }

    /// A bound of the encoded size in a message.
    var encodedLimit: Int { overhead + payload.count }

    /// A bound of the encoded size without the payload.
    var overhead: Int { tag.origin.encodedLimit + (tag.refusal?.count ?? 0) + (tag.kept?.count ?? 0) + 52 }
}

extension ProtoFrame {
    fileprivate init(_ frame: LogFrame) {
        self.init()
        origin = ProtoNode(frame.tag.origin)
        serial = frame.tag.serial
        idHigh = frame.tag.id.high
        idLow = frame.tag.id.low
        if let bytes = frame.tag.refusal { refusal = Data(bytes) }
        if let bytes = frame.tag.kept { kept = Data(bytes) }
        payload = Data(frame.payload)
    }
}

extension NodeID {
    fileprivate init(_ proto: ProtoNode, _ field: String) throws(LogMessageError) {
        guard let node = NodeID(name: proto.name, start: proto.start) else { throw .invalid(field: field) }
        self = node
    }

    fileprivate var encodedLimit: Int { name.utf8.count + 16 }
}

extension ProtoNode {
    fileprivate init(_ node: NodeID) {
        self.init()
        name = node.name
        start = node.start
    }
}
