import ChatEngine
import Gateway
import TestSupport
import Testing

@testable import Cluster

/// Commands on their way from a node to the one that decides.
@Suite struct RelayStreamTests {
    /// A node, the node that decides, and what is between them.
    private struct Scene {
        var random: SeededGenerator
        var stream = RelayStream()
        let intake = RelayIntake()
        var sent: UInt64 = 0
        var arrived: [RelayedCommand] = []
        var unfinished: [RelayedCommand] = []
        /// Messages that may arrive once more, or late.
        var delayed: [[UInt8]] = []

        mutating func deliver(_ message: [UInt8]) {
            guard let relay = ProtoRelay(encoded: message) else {
                Issue.record("not a message")
                return
            }
            let commands = intake.take(relay)
            arrived += commands
            unfinished += commands
        }

        mutating func send() {
            guard let message = stream.next(from: ann) else { return }
            #expect(message.count < 1 << 20)
            let second = stream.next(from: ann)
            #expect(second == nil)
            if delayed.count < 8 { delayed.append(message) }
            switch random.below(4) {
            case 0: _ = stream.answered(nil)
            case 1:
                deliver(message)
                _ = stream.answered(nil)
            default:
                deliver(message)
                _ = stream.answered(intake.received)
            }
        }

        mutating func step() {
            switch random.below(6) {
            case 0, 1, 2:
                sent += 1
                let size = random.chance(percent: 2) ? 500_000 + random.below(500_000) : random.below(200)
                stream.append(command(sent, bytes: size))
            case 3 where !delayed.isEmpty: deliver(delayed.remove(at: random.below(delayed.count)))
            case 4 where !unfinished.isEmpty: intake.finish(unfinished.remove(at: random.below(unfinished.count)))
            default: send()
            }
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `each command arrives once and in order over a channel that loses, repeats and reorders`(seed: UInt64) {
        var scene = Scene(random: SeededGenerator(seed: seed))
        for _ in 0..<300 { scene.step() }
        var rounds = 0
        while scene.stream.count > 0, rounds < 10_000 {
            scene.send()
            rounds += 1
        }
        #expect(scene.arrived.map(\.serial) == Array(1...scene.sent), "seed \(seed)")
        #expect(scene.arrived.allSatisfy { $0 == command($0.serial, bytes: $0.request.count) }, "seed \(seed)")
    }

    @Test func `a large command leaves in several messages, and the next one follows it in the last`() throws {
        var stream = RelayStream()
        let intake = RelayIntake()
        stream.append(command(1, bytes: 1_000_000))
        stream.append(command(2))
        var arrived: [[UInt64]] = []
        while let message = stream.next(from: ann) {
            arrived.append(intake.take(try #require(ProtoRelay(encoded: message))).map(\.serial))
            let isConfirmed = stream.answered(intake.received)
            #expect(isConfirmed)
        }
        #expect(arrived == [[], [], [1, 2]])
    }

    @Test func `a reply that confirms nothing new, or more than was sent, changes nothing`() throws {
        var stream = RelayStream()
        for serial in 1...3 as ClosedRange<UInt64> { stream.append(command(serial)) }
        let first = stream.next(from: ann)
        for count: UInt64? in [nil, 0, 4, UInt64.max] {
            let isConfirmed = stream.answered(count)
            let again = stream.next(from: ann)
            #expect(!isConfirmed && again == first)
        }
        let isConfirmed = stream.answered(2)
        #expect(isConfirmed)
        let rest = try #require(ProtoRelay(encoded: stream.next(from: ann) ?? []))
        #expect(rest.first == 3)
        #expect(rest.pieces.count == 1)
    }

    @Test func `a restart begins with number 1 and sends what it is given only`() throws {
        var stream = RelayStream()
        for serial in 1...3 as ClosedRange<UInt64> { stream.append(command(serial)) }
        _ = stream.next(from: ann)
        _ = stream.answered(1)
        stream.restart([command(3)])
        let intake = RelayIntake()
        let message = try #require(ProtoRelay(encoded: stream.next(from: ann) ?? []))
        #expect(message.first == 1)
        #expect(intake.take(message).map(\.serial) == [3])
    }

    @Test func `commands that nobody waits for are not sent, unless the writer may have them`() throws {
        var stream = RelayStream()
        let intake = RelayIntake()
        stream.append(command(1))
        _ = stream.next(from: ann)
        for serial in 2...4 as ClosedRange<UInt64> { stream.append(command(serial)) }
        stream.forget(through: 3)
        #expect(stream.count == 2)
        _ = stream.answered(nil)
        let message = try #require(ProtoRelay(encoded: stream.next(from: ann) ?? []))
        #expect(intake.take(message).map(\.serial) == [1, 4])
    }

    @Test func `a large command that has begun to leave is not cut short`() throws {
        var stream = RelayStream()
        let intake = RelayIntake()
        stream.append(command(1, bytes: 1_000_000))
        stream.append(command(2))
        let beginning = try #require(ProtoRelay(encoded: stream.next(from: ann) ?? []))
        #expect(intake.take(beginning).isEmpty)
        stream.append(command(3))
        stream.forget(through: 2)
        _ = stream.answered(nil)
        var arrived: [RelayedCommand] = []
        while let message = stream.next(from: ann) {
            arrived += intake.take(try #require(ProtoRelay(encoded: message)))
            _ = stream.answered(intake.received)
        }
        #expect(arrived == [command(1, bytes: 1_000_000), command(3)])
    }

    // MARK: The receiver

    private func message(_ first: UInt64, _ commands: [RelayedCommand]) -> ProtoRelay {
        ProtoRelay(from: ann, first: first, pieces: commands.map { ProtoPiece($0.encoded[...], ends: true) })
    }

    @Test func `messages with missing, repeated or wrong numbers are ignored as far as they are not next`() {
        let intake = RelayIntake()
        #expect(intake.take(message(0, [command(1)])).isEmpty)
        #expect(intake.take(message(2, [command(2)])).isEmpty)
        #expect(intake.take(message(.max, [command(2)])).isEmpty)
        #expect(intake.received == 0)
        #expect(intake.take(message(1, [command(1), command(2)])).map(\.serial) == [1, 2])
        #expect(intake.take(message(1, [command(1), command(2)])).isEmpty)
        #expect(intake.take(message(2, [command(2), command(3)])).map(\.serial) == [3])
        #expect(intake.received == 3)
    }

    @Test func `a node may have ten thousand commands waiting, and another once one is done`() {
        let intake = RelayIntake()
        let limit = UInt64(RelayIntake.commandLimit)
        let some = (1...limit + 2).map { command($0, bytes: 0) }
        #expect(intake.take(message(1, some)).count == RelayIntake.commandLimit)
        #expect(intake.received == limit)
        intake.finish(some[0])
        #expect(intake.take(message(limit + 1, Array(some.suffix(2)))).map(\.serial) == [limit + 1])
    }

    @Test func `a node may have a limited number of bytes waiting, and more once some are done`() {
        let intake = RelayIntake()
        let half = RelayIntake.byteLimit / 2
        let large = command(1, bytes: half)
        #expect(intake.take(message(1, [large])).count == 1)
        #expect(intake.take(message(2, [command(2, bytes: half)])).count == 1)
        #expect(intake.take(message(3, [command(3)])).isEmpty)
        intake.finish(large)
        #expect(intake.take(message(3, [command(3)])).map(\.serial) == [3])
    }

    @Test func `a command that is too large or unreadable is left out, and the next one arrives`() {
        let intake = RelayIntake()
        let piece = [UInt8](repeating: 0xFF, count: RelayedCommand.sizeLimit / 2 + 1)
        let pieces = (0..<4).map { ProtoPiece(piece[...], ends: $0 == 3) }
        #expect(intake.take(ProtoRelay(from: ann, first: 1, pieces: pieces)).isEmpty)
        let unreadable = ProtoPiece([0xFF, 0xFF][...], ends: true)
        let next = ProtoPiece(command(2).encoded[...], ends: true)
        #expect(intake.take(ProtoRelay(from: ann, first: 5, pieces: [unreadable, next])) == [command(2)])
        #expect(intake.received == 6)
    }
}
