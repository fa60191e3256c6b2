import ChatModel
import Gateway

/// The result of one command: the records it produced, and a tag by which the node that received the command recognizes it.
package struct LogFrame: Equatable, Sendable {
    package struct Tag: Equatable, Sendable {
        /// The node whose client sent the command.
        package let origin: NodeID
        /// The command's number there; 0 for a command of the writer's own clients.
        package let serial: UInt64
        /// The id that the writer generated for the command.
        package let id: MessageID
        /// Why the chat refused the command, in a form that only the origin reads; `nil` if it did not.
        package let refusal: [UInt8]?

        /// The answer to a request with an idempotency key, for every node to keep; `nil` without a key.
        package let kept: [UInt8]?

        package init(
            origin: NodeID, serial: UInt64, id: MessageID, refusal: [UInt8]? = nil, kept: [UInt8]? = nil
        ) {
            self.origin = origin
            self.serial = serial
            self.id = id
            self.refusal = refusal
            self.kept = kept
        }

        /// Whether the command came from another node, which finds its outcome by the serial.
        package var answersNode: Bool { serial != 0 }
        /// Whether other nodes need the outcome even if the command changed nothing.
        package var isShared: Bool { answersNode || kept != nil }
    }

    package let tag: Tag
    /// The encoded records; empty for a command that changed nothing.
    package var payload: [UInt8]

    package init(_ tag: Tag, payload: [UInt8]) {
        self.tag = tag
        self.payload = payload
    }

    /// The greatest size of a payload in bytes, for all nodes of a cluster. It bounds the memory of readers that join its
    /// parts, and is therefore smaller than what a journal could hold.
    package static let payloadLimit = 64 << 20
    /// The greatest size in bytes of the records that a command decides. The engine adds a newcomer's own record unasked.
    package static let commandLimit = payloadLimit - (1 << 20)
    /// The greatest size of a refusal in bytes.
    package static let refusalLimit = 64 << 10
    /// The greatest size of a kept answer in bytes.
    package static let keptLimit = 192 << 10

    /// Whether the frame may be appended to a log.
    package var fits: Bool {
        payload.count <= Self.payloadLimit && (tag.refusal?.count ?? 0) <= Self.refusalLimit
            && (tag.kept?.count ?? 0) <= Self.keptLimit
    }

    /// Whether the frame counts: only frames with records have numbers, because only they are in the journals.
    package var isNumbered: Bool { !payload.isEmpty }
}

/// A frame with its number, which is the same in every node's journal.
package struct NumberedFrame: Equatable, Sendable {
    /// For a frame without records, the number of the last frame before it that has some.
    package let number: UInt64
    package let frame: LogFrame

    package init(number: UInt64, frame: LogFrame) {
        self.number = number
        self.frame = frame
    }
}
