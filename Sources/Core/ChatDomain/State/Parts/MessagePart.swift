import ChatModel

/// A message of the state, as in a piece of it.
package struct MessagePart: Equatable, Sendable {
    package var id: MessageID
    package var offset: UInt64
    package var createdAt: Int64
    package var kind: MessageKind
    package var text: String
    package var sender: UserID?
    package var clientID: String?
    /// The hash of the client id, if the body is in a block.
    package var clientIDHash: UInt32?
    /// The message to which this is a reply.
    package var parent: MessageID?
    /// In snapshots by older servers, the place of the parent among the channel's messages instead.
    package var parentPlace: Int?
    /// The details; `nil` for a plain message.
    package var details: Details?

    /// Fields that few messages have.
    package struct Details: Equatable, Sendable {
        package var replyToChannel = false
        package var customType: String?
        package var data: String?
        package var mentions: Mentions?
        package var extras: MessageExtras?
        package var updatedAt: Int64?
        package var deletedAt: Int64?
        package var expiresAt: Int64?
        /// The hash of the original content, if the message has a client id and was changed.
        package var sentContent: UInt64?
        package var reactions: ReactionsPart?
        /// Whether there are uploads among the files; only if the body is in a block.
        package var hasUploads = false

        package init() {}
    }

    package init(
        id: MessageID, offset: UInt64, createdAt: Int64, kind: MessageKind, text: String, sender: UserID?,
        clientID: String?, parent: MessageID?, details: Details?
    ) {
        self.id = id
        self.offset = offset
        self.createdAt = createdAt
        self.kind = kind
        self.text = text
        self.sender = sender
        self.clientID = clientID
        self.parent = parent
        self.details = details
    }
}

package struct ReactionsPart: Equatable, Sendable {
    package struct Reactor: Equatable, Sendable {
        package var user: UserID
        package var offset: UInt64

        package init(user: UserID, offset: UInt64) {
            self.user = user
            self.offset = offset
        }
    }

    package struct Key: Equatable, Sendable {
        package var key: String
        package var updatedAt: Int64
        /// Ascending by offset.
        package var reactors: [Reactor]

        package init(key: String, updatedAt: Int64, reactors: [Reactor]) {
            self.key = key
            self.updatedAt = updatedAt
            self.reactors = reactors
        }
    }

    package var updatedAt: Int64
    package var keys: [Key]

    package init(updatedAt: Int64, keys: [Key]) {
        self.updatedAt = updatedAt
        self.keys = keys
    }
}
