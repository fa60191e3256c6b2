import ChatModel
import Gateway
import WebSocketCodec
import WireProtocol

extension Workload {
    private final class Ear: Listener {
        var hubState = ListenerState()
        private(set) var heard = 0

        func write(_ frames: [UInt8]) { heard &+= frames.count }
        func writeTransient(_ frames: [UInt8]) { heard &+= frames.count }
        func disconnect(_ code: DisconnectCode) {}
    }

    static let deliveries = [10, 1_000].map { count in
        Workload("delivery: one event to \(count) listeners of a loop") {
            let hub = LoopHub(appendFrame: { FrameEncoder.append(.text, payload: $0, to: &$2) }, release: { _, _ in })
            let room = Room.channel(channel(0))
            let ears = (0..<count).map { _ in Ear() }
            for (number, ear) in ears.enumerated() {
                let grant = RoomGrant(
                    room: room, position: RoomPosition(offset: 0, epoch: "e"), visibleFrom: 0, generation: 1,
                    recovery: .notRequested)
                hub.attach(ear, as: Identity(user: user(number), validFor: nil), follows: true, to: [grant])
            }
            let event = PublishedEvent(EncodedEvent(offset: 1, data: usualText), in: room)
            return {
                hub.publish(event, in: room)
                hub.flush()
                keep(ears)
            }
        }
    }
}
