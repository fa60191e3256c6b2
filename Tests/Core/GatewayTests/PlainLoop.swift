import ChatModel
import Gateway
import WireProtocol

/// Records the frames written to it.
final class PlainEar: Listener {
    var writes: [String] = []
    var hubState = ListenerState()
    func write(_ frames: [UInt8]) { writes.append(text(frames)) }
    /// Whether droppable frames are refused.
    var isSlow = false
    func writeTransient(_ frames: [UInt8]) { if !isSlow { writes.append(text(frames)) } }
    func disconnect(_ code: DisconnectCode) { writes.append("disconnected \(code.rawValue)") }
    var heard: String { writes.joined() }
}

/// A hub whose frames are the unencoded envelopes, with the grants it returned.
final class PlainLoop {
    private(set) var released: [(room: Room, generation: UInt64)] = []
    private(set) var ended: [UserID] = []
    private(set) lazy var hub = LoopHub(
        appendFrame: { envelope, _, frames in frames += envelope },
        release: { [weak self] in self?.released.append(($0, $1)) },
        ended: { [weak self] in self?.ended.append($0) })

    func say(_ words: String, in room: Room, redacted: String? = nil, hidesBefore: UInt64 = 0) {
        hub.publish(told(words, redacted: redacted, hidesBefore: hidesBefore), in: room)
    }

    func attach(_ user: UserID, issuedAt: Int64? = nil, follows: Bool = true, _ grants: RoomGrant...) -> PlainEar {
        let ear = PlainEar()
        hub.attach(
            ear, as: Identity(user: user, validFor: nil, issuedAt: issuedAt), follows: follows, to: grants)
        return ear
    }
}
