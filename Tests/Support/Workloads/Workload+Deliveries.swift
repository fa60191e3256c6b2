import ChatModel
import Gateway
import WebSocketCodec
import WireProtocol

extension Workload {
    private final class Ear: Listener {
        var seats = Seats()
        private(set) var heard = 0

        func write(_ frames: [UInt8]) { heard &+= frames.count }
        func writeTransient(_ frames: [UInt8]) { heard &+= frames.count }
        func oust(_ code: DisconnectCode) {}
    }

    static let deliveries = [10, 1_000].map { count in
        Workload("delivery: one event to \(count) listeners of a loop") {
            let hub = LoopHub(frame: { bytes, _ in FrameEncoder.text(bytes) }, release: { _, _ in })
            let room = Room.channel(channel(0))
            let ears = (0..<count).map { _ in Ear() }
            for (number, ear) in ears.enumerated() {
                let grant = RoomGrant(
                    room: room, position: StreamPosition(offset: 0, epoch: "e"), visibleFrom: 0, generation: 1,
                    recovery: .notAsked)
                hub.attach(ear, as: Identity(user: user(number), validFor: nil), follows: true, to: [grant])
            }
            let frame = PublishedFrame(
                bytes: FrameEncoder.text(usualText), of: Publication(offset: 1, bytes: usualText))
            return {
                hub.publish(frame, in: room)
                hub.flush()
                keep(ears)
            }
        }
    }
}
