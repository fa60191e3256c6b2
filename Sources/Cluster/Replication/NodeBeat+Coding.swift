internal import FoundationEssentials
import Gateway
internal import SwiftProtobuf

/// Why bytes are not a beat.
package enum NodeBeatError: Error, Equatable, Sendable {
    /// Not an encoded `NodeBeat` of `replication.proto`, or longer than `NodeBeat.sizeLimit`.
    case malformed
    /// A field is missing or has a value that no node sends.
    case invalid(field: String)
}

extension NodeBeat {
    package func encoded() -> [UInt8] {
        var proto = ProtoNodeBeat()
        proto.node.name = node.name
        proto.node.start = node.start
        proto.role = ProtoNodeBeat.Role(role)
        proto.term = term
        proto.appliedFrame = appliedFrame
        proto.lastMessage = lastMessage
        proto.syncedFrame = syncedFrame
        proto.recordVersion = facts.recordVersion
        proto.version = facts.version
        proto.settingsDigest = Data(facts.settingsDigest)
        proto.keysDigest = Data(facts.keysDigest)
        proto.uploadsMark = Data(facts.uploadsMark)
        proto.unicodeDigest = facts.unicodeDigest
        proto.clock = clock
        proto.address = facts.address
        if let span {
            proto.announced.after = span.after
            proto.announced.through = span.through
            proto.announced.sum = span.sum
        }
        do {
            return try proto.serializedBytes()
        } catch {
            // The encoder fails only for messages of more than 2 GiB and for required fields, which proto3 does not have.
            preconditionFailure("a beat cannot be encoded: \(error)")
        }
    }

    package init(_ bytes: [UInt8]) throws(NodeBeatError) {
        guard bytes.count <= Self.sizeLimit, let proto = try? ProtoNodeBeat(serializedBytes: bytes) else {
            throw .malformed
        }
        guard let node = NodeID(name: proto.node.name, start: proto.node.start) else { throw .invalid(field: "node") }
        for (field, number) in [
            ("term", proto.term), ("applied_frame", proto.appliedFrame), ("last_message", proto.lastMessage),
            ("announced", max(proto.announced.after, proto.announced.through)),
            ("synced_frame", proto.syncedFrame),
        ] where number > LogMessage.numberLimit { throw .invalid(field: field) }
        guard proto.version.utf8.count <= Self.versionLimit else { throw .invalid(field: "version") }
        for (field, digest) in [
            ("settings_digest", proto.settingsDigest), ("keys_digest", proto.keysDigest),
            ("uploads_mark", proto.uploadsMark),
        ] where digest.count > Self.digestLimit { throw .invalid(field: field) }
        guard proto.address.utf8.count <= Self.addressLimit else { throw .invalid(field: "address") }
        let facts = Facts(
            recordVersion: proto.recordVersion, version: proto.version,
            settingsDigest: [UInt8](proto.settingsDigest), keysDigest: [UInt8](proto.keysDigest),
            uploadsMark: [UInt8](proto.uploadsMark), unicodeDigest: proto.unicodeDigest, address: proto.address)
        self.init(
            node: node, role: Role(proto.role), term: proto.term, appliedFrame: proto.appliedFrame,
            lastMessage: proto.lastMessage,
            span: proto.hasAnnounced
                ? .init(
                    after: proto.announced.after, through: proto.announced.through, sum: proto.announced.sum) : nil,
            syncedFrame: proto.syncedFrame, clock: proto.clock, facts: facts)
    }
}

extension NodeBeat.Role {
    fileprivate init(_ proto: ProtoNodeBeat.Role) {
        self =
            switch proto {
            case .candidate: .candidate
            case .writer: .writer
            // A role of a later version that is neither of these.
            case .follower, .UNRECOGNIZED: .follower
            }
    }
}

extension ProtoNodeBeat.Role {
    fileprivate init(_ role: NodeBeat.Role) {
        self =
            switch role {
            case .follower: .follower
            case .candidate: .candidate
            case .writer: .writer
            }
    }
}
