import ChatModel
import Gateway
import Testing
import WireProtocol

private final class Deaf: Listener {
    var hubState = ListenerState()
    func write(_ frames: [UInt8]) {}
    func writeTransient(_ frames: [UInt8]) {}
    func disconnect(_ code: DisconnectCode) {}
}

@Suite struct DeliveryChargesTests {
    /// Regression: a message to 2,000 listeners was charged like a message to none.
    @Test func `N110: deliveries to a large room are charged to the user who caused them`() {
        let hub = LoopHub(appendFrame: { envelope, _, frames in frames += envelope }, release: { _, _ in })
        let listeners = (0...LoopHub.freeListeners).map { number in
            let listener = Deaf()
            hub.attach(
                listener, as: Identity(user: .guest(UInt64(number), 1), validFor: nil), follows: true,
                to: [grant(general)])
            return listener
        }
        func charged() -> [String] { hub.drainCharges().map { "\($0.sender.user) \($0.deliveries)" } }
        hub.publish(told("1", by: ann), in: general)
        hub.publish(told("2", by: ann), in: general)
        hub.publish(told("3", by: bob), in: general)
        hub.publish(told("4"), in: general)
        #expect(charged() == ["ann 2", "bob 1"])
        #expect(charged().isEmpty)
        hub.detach(listeners[0])
        hub.publish(told("5", by: ann), in: general)
        #expect(charged().isEmpty, "an ordinary channel costs nothing")
    }
}
