import ChatModel
import Gateway
import Testing

/// N110: nobody was charged for the cost of an event that reaches thousands of users.
@Suite struct DeliveryChargesTests {
    @Test func `an event names the user who caused it, and nobody if the app's backend did`() {
        let bench = Bench()
        bench.change(CreateChannel(id: general, operatorUserIDs: [ann]), as: ann)
        bench.log.sync()
        bench.attach(ann)
        bench.log.sync()
        bench.ear.senders.withLock { $0 = [] }
        bench.change(SendMessage(channelID: general, text: "hi"), as: ann)
        bench.log.sync()
        #expect(bench.ear.senders.withLock(\.self) == [Sender(user: ann)])
        bench.ear.senders.withLock { $0 = [] }
        bench.engine.change(
            SendMessage(channelID: general, text: "news"), as: .server, answerTo: bench.address(1))
        bench.settle()
        bench.log.sync()
        #expect(bench.ear.senders.withLock(\.self) == [nil])
    }

    @Test func `a user who has caused too many deliveries has to wait, and others do not`() {
        let bench = Bench()
        for user in [ann, bob] { bench.change(CreateChannel(), as: user) }
        // Half a second is available immediately, at two microseconds per delivery.
        bench.engine.charge([(Sender(user: ann), 240_000), (Sender(user: bob), 1_000)])
        bench.settle()
        bench.log.sync()
        _ = bench.ear.news()
        bench.query(ListChannels(), as: ann, 2)
        bench.engine.charge([(Sender(user: ann), 10_000)])
        bench.query(ListChannels(), as: ann, 3)
        bench.query(ListChannels(), as: bob, 4)
        bench.log.sync()
        #expect(Set(bench.ear.news()) == ["answer 2", "answer 3 111", "answer 4"])
    }

    @Test func `a guest's deliveries are also charged to the guest's address`() {
        let bench = Bench()
        let (guest, other) = (UserID.guest(1, 1), UserID.guest(2, 2))
        bench.engine.charge([(Sender(user: guest, address: "a"), 260_000)])
        let refused = GuestOrigin(block: "a", network: "n")
        let free = GuestOrigin(block: "b", network: "n")
        for (command, origin) in [(5, refused), (6, free)] as [(UInt32, GuestOrigin)] {
            bench.engine.query(
                ListChannels(), as: .user(other),
                answerTo: ReturnAddress(
                    connection: ConnectionID(loop: 0, serial: 1), command: command, guestOrigin: origin))
        }
        bench.settle()
        bench.log.sync()
        let codes = bench.ear.news().filter { $0.hasPrefix("answer") }
        #expect(codes.contains("answer 5 111") && !codes.contains("answer 6 111"))
    }
}
