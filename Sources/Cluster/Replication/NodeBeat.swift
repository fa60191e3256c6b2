import Gateway
import Records

/// What a node tells all others four times a second.
package struct NodeBeat: Equatable, Sendable {
    package enum Role: Equatable, Sendable { case follower, candidate, writer }

    /// What does not change while the process runs, and the owner knows.
    package struct Facts: Equatable, Sendable {
        /// The newest record version that the node can read.
        package var recordVersion: UInt32
        /// Belfry's version.
        package var version: String
        /// Digests of the settings and of the keys that all nodes must share.
        package var settingsDigest: [UInt8]
        package var keysDigest: [UInt8]
        /// The mark of the folder of uploads, which all nodes must share; empty for a node that does not say.
        package var uploadsMark: [UInt8]
        package var unicodeDigest: UInt64
        /// Where clients reach the node; empty if it does not say.
        package var address: String

        /// Cuts values that are too long, because no node would read the beat.
        package init(
            recordVersion: UInt32 = RecordCoder.version, version: String = "", settingsDigest: [UInt8] = [],
            keysDigest: [UInt8] = [], uploadsMark: [UInt8] = [], unicodeDigest: UInt64 = UnicodeProbe.digest,
            address: String = ""
        ) {
            self.recordVersion = recordVersion
            self.version = version.cut(toBytes: NodeBeat.versionLimit)
            self.settingsDigest = Array(settingsDigest.prefix(NodeBeat.digestLimit))
            self.keysDigest = Array(keysDigest.prefix(NodeBeat.digestLimit))
            self.uploadsMark = Array(uploadsMark.prefix(NodeBeat.digestLimit))
            self.unicodeDigest = unicodeDigest
            self.address = address.cut(toBytes: NodeBeat.addressLimit)
        }

        /// Whether the nodes announce the same events if their states are equal. During an upgrade, or while settings are
        /// changed node by node, they need not.
        func announces(like other: Facts) -> Bool {
            version == other.version && settingsDigest == other.settingsDigest
        }
    }

    package let node: NodeID
    package var role: Role
    package var term: UInt64
    /// The last frame that the engine has applied.
    package var appliedFrame: UInt64
    /// The last message of the log that the node has read.
    package var lastMessage: UInt64
    /// The sum over the frames that the node announced last; `nil` for a node that does not compare.
    let span: AnnouncedSum?
    /// The last frame that the node has synced to its own disk, or that a node which copies from it has. The log may drop
    /// what it has up to there.
    package var syncedFrame: UInt64
    /// Milliseconds since 1970 on the node's clock.
    package var clock: Int64
    package let facts: Facts

    init(
        node: NodeID, role: Role = .follower, term: UInt64 = 0, appliedFrame: UInt64 = 0, lastMessage: UInt64 = 0,
        span: AnnouncedSum? = nil, syncedFrame: UInt64 = 0, clock: Int64, facts: Facts
    ) {
        self.node = node
        self.role = role
        self.term = term
        self.appliedFrame = appliedFrame
        self.lastMessage = lastMessage
        self.span = span
        self.syncedFrame = syncedFrame
        self.clock = clock
        self.facts = facts
    }

    /// The last frame that the node has told its connections of.
    var announcedFrame: UInt64 { span?.through ?? appliedFrame }

    /// The greatest size of an encoded beat in bytes, with room for later fields.
    package static let sizeLimit = 4_096
    /// The greatest sizes of texts and digests in bytes.
    static let versionLimit = 64
    static let digestLimit = 64
    static let addressLimit = 255
}

extension String {
    /// The longest beginning of whole scalars that has at most this many bytes.
    fileprivate func cut(toBytes limit: Int) -> String {
        var (scalars, size) = (String.UnicodeScalarView(), 0)
        for scalar in unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= limit else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}
