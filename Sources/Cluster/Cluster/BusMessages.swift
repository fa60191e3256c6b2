import ChatDomain
import ChatEngine
import ChatModel
internal import FoundationEssentials
import Gateway
internal import SwiftProtobuf
import WireProtocol

/// The coding of what nodes tell each other. Whatever does not decode is ignored, as if it had been lost.
extension SwiftProtobuf.Message {
    /// Encoding fails only for messages of more than 2 GiB and for required fields, which proto3 does not have.
    var encoded: [UInt8] { (try? serializedBytes()) ?? [] }

    init?(encoded bytes: [UInt8]) {
        guard let message = try? Self(serializedBytes: bytes) else { return nil }
        self = message
    }
}

extension NodeID {
    init?(_ proto: ProtoNode) { self.init(name: proto.name, start: proto.start) }
}

extension ProtoNode {
    init(_ node: NodeID) {
        self.init()
        name = node.name
        start = node.start
    }
}

extension ProtoPiece {
    init(_ bytes: ArraySlice<UInt8>, ends: Bool) {
        self.init()
        self.bytes = Data(bytes)
        self.ends = ends
    }
}

extension ProtoRelay {
    init(from node: NodeID, first: UInt64, pieces: [ProtoPiece]) {
        self.init()
        origin = ProtoNode(node)
        self.first = first
        self.pieces = pieces
    }
}

extension ProtoRelayReply {
    init(received: UInt64) {
        self.init()
        self.received = received
    }
}

extension ProtoLastFrame {
    init(_ frame: UInt64) {
        self.init()
        self.frame = frame
    }
}

extension RelayedCommand {
    var encoded: [UInt8] {
        var proto = ProtoCommand()
        proto.serial = serial
        proto.method = method
        proto.request = Data(request)
        if let user = caller.user { proto.user = user.rawValue }
        proto.admitsNewcomer = admitsNewcomer
        if let guestOrigin {
            proto.guestBlock = guestOrigin.block
            proto.guestNetwork = guestOrigin.network
        }
        if let claim { proto.claim = Data(claim) }
        return proto.encoded
    }

    init?(_ bytes: [UInt8]) {
        guard let proto = ProtoCommand(encoded: bytes), proto.serial > 0,
            let caller = Caller(proto.hasUser ? proto.user : nil)
        else { return nil }
        self.init(
            serial: proto.serial, method: proto.method, request: [UInt8](proto.request), caller: caller,
            admitsNewcomer: proto.admitsNewcomer,
            guestOrigin: proto.hasGuestBlock
                ? GuestOrigin(block: proto.guestBlock, network: proto.guestNetwork) : nil,
            claim: proto.hasClaim ? [UInt8](proto.claim) : nil)
    }
}

extension Caller {
    /// - Parameter user: `nil` for a server key.
    fileprivate init?(_ user: String?) {
        guard let user else {
            self = .server
            return
        }
        guard let id = UserID(user) else { return nil }
        self = .user(id)
    }
}

extension ClusterNews {
    /// Encodes what a node tells all others.
    func encoded(from node: NodeID) -> [UInt8] {
        var proto = ProtoNews()
        proto.sender = ProtoNode(node)
        switch self {
        case .signal(let method, let request, let caller):
            proto.signal.method = method
            proto.signal.request = Data(request)
            if let user = caller.user { proto.signal.user = user.rawValue }
        case .event(let event, let room):
            proto.event.event = Data(WireEncoder().encode(event))
            proto.event.room = room.name
        }
        return proto.encoded
    }

    init?(_ proto: ProtoNews) {
        switch proto.content {
        case .signal(let signal):
            guard let caller = Caller(signal.hasUser ? signal.user : nil) else { return nil }
            self = .signal(method: signal.method, request: [UInt8](signal.request), caller)
        case .event(let told):
            guard let room = Room(name: told.room), let fields = try? JSONFields([UInt8](told.event)),
                let event = try? WireDecoder().decode(TypedEvent.self, from: fields)
            else { return nil }
            self = .event(event, in: room)
        case nil: return nil
        }
    }
}
