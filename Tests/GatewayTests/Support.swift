import ChatModel
import Gateway
import WireProtocol

/// SplitMix64: the same numbers for the same seed, everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}

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

func publication(_ offset: UInt64, _ text: String, redacted: String? = nil, hidesBefore: UInt64 = 0) -> Publication {
    Publication(
        offset: offset, bytes: bytes(text),
        redacted: redacted.map { Publication.Redacted(hidesBefore: hidesBefore, bytes: bytes($0)) })
}

func grant(
    _ room: Room, at offset: UInt64 = 0, visibleFrom: UInt64 = 0, generation: UInt64 = 1,
    recovery: RoomGrant.Recovery = .notAsked
) -> RoomGrant {
    RoomGrant(
        room: room, position: StreamPosition(offset: offset, epoch: "e"), visibleFrom: visibleFrom,
        generation: generation, recovery: recovery)
}

extension RoomGrant.Recovery {
    var offsets: [UInt64]? {
        guard case .recovered(let missed) = self else { return nil }
        return missed.map(\.offset)
    }
}
