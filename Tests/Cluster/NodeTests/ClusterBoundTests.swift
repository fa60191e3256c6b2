import Dispatch
import Gateway
import Replication
import Testing

@testable import Cluster

/// What the bounds of a node keep out is reported, and does no harm to what is inside.
@Suite struct ClusterBoundTests {
    private let bus = HandBus()
    private let refused = Heard<ClusterBound>()

    @Test func `users of more than 64 processes are not kept, and this is reported`() throws {
        let exchange = PresenceExchange(
            bob, DispatchQueue(label: "test"), bus, clock: { 0 }, refused: { refused.add($0) }
        ) { _, _ in }
        exchange.start()
        try wait { bus.isServed(Subjects.presence) }
        for number in 1...66 {
            var proto = ProtoPresenceChanges()
            proto.node = ProtoNode(node("n\(number)"))
            bus.deliver(proto.encoded, to: Subjects.presence)
        }
        try wait { refused.all.count == 2 }
        #expect(refused.all == [.presence, .presence])
        // The others are asked for their users.
        #expect(bus.requests.all.map(\.subject) == (1...64).map { Subjects.presence(of: node("n\($0)")) })
        exchange.stop()
    }

    @Test func `commands of more than 64 processes are not taken in a term, and this is reported`() throws {
        let queue = DispatchQueue(label: "test")
        let server = RelayServer(bob, queue, bus) { refused.add($0) }
        let term = LogTerm(number: 1, writer: bob)
        let executed = Heard<UInt64>()
        queue.sync { server.begin(term, execute: { command, _ in executed.add(command.serial) }, lastFrame: { $0(0) }) }
        for number in 1...65 {
            let piece = ProtoPiece(command(UInt64(number)).encoded[...], ends: true)
            let relay = ProtoRelay(from: node("n\(number)"), first: 1, pieces: [piece])
            bus.deliver(relay.encoded, to: Subjects.relay(term))
        }
        try wait { !refused.all.isEmpty }
        #expect(refused.all == [.origins])
        #expect(executed.all == Array(1...64))
        queue.sync { server.end() }
    }

    @Test func `each message with commands beyond a node's share is reported`() {
        let intake = RelayIntake { refused.add(.commands) }
        let some = (1...UInt64(RelayIntake.commandLimit) + 2).map { command($0, bytes: 0) }
        let pieces = some.map { ProtoPiece($0.encoded[...], ends: true) }
        #expect(intake.take(ProtoRelay(from: ann, first: 1, pieces: pieces)).count == RelayIntake.commandLimit)
        #expect(refused.all == [.commands])
        intake.finish(some[0])
        let rest = Array(pieces.suffix(2))
        let first = UInt64(RelayIntake.commandLimit) + 1
        #expect(intake.take(ProtoRelay(from: ann, first: first, pieces: rest)).count == 1)
        #expect(refused.all == [.commands, .commands])
    }
}
