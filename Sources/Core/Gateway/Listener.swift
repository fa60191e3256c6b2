import ChatModel
import WireProtocol

/// A connection, as the rooms of its loop see it.
package protocol Listener: AnyObject {
    /// Writes whole WebSocket frames. Never closes the connection during the call.
    func write(_ frames: [UInt8])
    /// Writes frames that may be dropped if the peer is slow.
    func writeTransient(_ frames: [UInt8])
    /// Disconnects the listener and sends the code to its peer.
    func disconnect(_ code: DisconnectCode)
    /// The listener's identity and rooms; maintained by the hub.
    var hubState: ListenerState { get set }
    /// Whether the listener accepts compressed frames; constant while attached.
    var acceptsCompression: Bool { get }
    /// The wire form the listener uses; constant while attached.
    var form: WireForm { get }
}

extension Listener {
    package var acceptsCompression: Bool { false }
    package var form: WireForm { .json }
}

/// The hub's state for one listener.
package struct ListenerState {
    /// The identity from the token used to connect or last refresh.
    var identity: Identity?
    var user: UserID? { identity?.user }
    /// Whether the listener automatically enters the rooms of channels its user joins.
    var followsChannels = false
    var memberIndices = MemberIndices()

    package init() {}
    package var roomCount: Int { memberIndices.count }
}
