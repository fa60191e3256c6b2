import ChatModel
import WireProtocol

@testable import Gateway

extension UserID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let id = UserID(text) else { preconditionFailure("not a user id") }
        self = id
    }
}

extension Room: ExpressibleByStringLiteral {
    public init(stringLiteral name: String) {
        guard let room = Room(name: name) else { preconditionFailure("not a room") }
        self = room
    }
}

let ann: UserID = "ann"
let bob: UserID = "bob"
let general: Room = "general"
let random: Room = "random"

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

func encodedEvent(_ offset: UInt64, _ text: String, redacted: String? = nil, hidesBefore: UInt64 = 0) -> EncodedEvent {
    EncodedEvent(
        offset: offset, data: bytes(text),
        redacted: redacted.map { EncodedEvent.Redacted(hidesBefore: hidesBefore, data: bytes($0)) })
}

/// Returns an event whose frame is these words; the Protobuf form has the text between the braces of the JSON form.
func told(
    _ words: String, redacted: String? = nil, hidesBefore: UInt64 = 0, isTransient: Bool = false,
    by sender: UserID? = nil
) -> PublishedEvent {
    PublishedEvent(
        encodedEvent(0, words, redacted: redacted, hidesBefore: hidesBefore), json: bytes(words),
        redactedJSON: redacted.map(bytes), isTransient: isTransient, sender: sender.map { Sender(user: $0) })
}

func grant(
    _ room: Room, at offset: UInt64 = 0, visibleFrom: UInt64 = 0, generation: UInt64 = 1,
    recovery: RoomGrant.Recovery = .notRequested
) -> RoomGrant {
    RoomGrant(
        room: room, position: RoomPosition(offset: offset, epoch: "e"), visibleFrom: visibleFrom,
        generation: generation, recovery: recovery)
}

extension RoomGrant.Recovery {
    var offsets: [UInt64]? {
        guard case .recovered(let missed) = self else { return nil }
        return missed.map(\.offset)
    }
}
