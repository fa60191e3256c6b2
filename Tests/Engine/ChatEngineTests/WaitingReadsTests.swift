import ChatModel
import Gateway
import Testing

@testable import ChatEngine

/// The reads and the commands that wait for other nodes.
@Suite struct WaitingReadsTests {
    /// Reads that note their names when they run.
    private final class Scene {
        var reads = WaitingReads(limit: 4)
        var run: [String] = []
        private let engine = Bench().engine

        func add(_ name: String) -> Bool {
            reads.add { _, sight in self.run.append(sight == .behind ? "late \(name)" : name) }
        }

        func answered(_ frame: UInt64?, applied: UInt64, at now: Int64 = 0) -> Bool {
            let (bodies, asksAgain) = reads.answered(frame, applied: applied, at: now)
            for body in bodies { body(engine, .latest) }
            return asksAgain
        }

        func applied(_ frame: UInt64) { for body in reads.applied(frame) { body(engine, .latest) } }
        func removeLate(at now: Int64) { for body in reads.removeLate(at: now) { body(engine, .behind) } }
        func removeAll() { for body in reads.removeAll() { body(engine, .latest) } }
    }

    @Test func `reads of one question wait for its frame, and run when it is applied`() {
        let scene = Scene()
        #expect(scene.add("a"))
        #expect(!scene.add("b"))
        #expect(scene.answered(5, applied: 3))
        #expect(scene.run.isEmpty)
        scene.applied(4)
        #expect(scene.run.isEmpty)
        scene.applied(5)
        #expect(scene.run == ["a"])
        #expect(!scene.answered(5, applied: 5))
        #expect(scene.run == ["a", "b"])
        #expect(scene.reads.count == 0)
        #expect(scene.add("c"))
    }

    @Test func `a smaller frame than an earlier answer's does not overtake it`() {
        let scene = Scene()
        _ = scene.add("a")
        _ = scene.add("b")
        #expect(scene.answered(9, applied: 3))
        #expect(!scene.answered(4, applied: 3))
        scene.applied(4)
        #expect(scene.run.isEmpty)
        scene.applied(9)
        #expect(scene.run == ["a", "b"])
    }

    @Test func `a read waits for five seconds, no longer`() {
        let scene = Scene()
        _ = scene.add("a")
        _ = scene.add("b")
        _ = scene.answered(9, applied: 3, at: 100)
        _ = scene.answered(9, applied: 3, at: 101)
        scene.removeLate(at: 100 + WaitingReads.patience)
        #expect(scene.run.isEmpty)
        scene.removeLate(at: 101 + WaitingReads.patience)
        #expect(scene.run == ["late a"])
        #expect(scene.reads.count == 1)
    }

    @Test func `all reads run in order once this node decides, and no question is open`() {
        let scene = Scene()
        _ = scene.add("a")
        _ = scene.add("b")
        _ = scene.answered(9, applied: 3)
        _ = scene.add("c")
        scene.removeAll()
        #expect(Set(scene.run) == ["a", "b", "c"])
        #expect(scene.reads.count == 0)
        #expect(scene.add("d"))
    }

    @Test func `reads are full at their limit, wherever they wait`() {
        let scene = Scene()
        _ = scene.add("a")
        _ = scene.add("b")
        _ = scene.answered(9, applied: 3)
        _ = scene.add("c")
        #expect(!scene.reads.isFull)
        _ = scene.add("d")
        #expect(scene.reads.isFull)
        scene.applied(9)
        #expect(!scene.reads.isFull)
    }

    // MARK: Commands

    private func entry(_ serial: UInt64, at time: Int64, bytes: Int = 10) -> RelayedCommands.Entry {
        RelayedCommands.Entry(
            command: RelayedCommand(
                serial: serial, method: "message.send", request: [UInt8](repeating: 0, count: bytes), caller: .server,
                admitsNewcomer: false, guestOrigin: nil),
            since: time, address: ReturnAddress { _ in },
            respond: { _, _, _ throws(Rejection) in throw Rejection(.internal) }, carryOut: { _ in })
    }

    private func commands(_ change: (inout RelayedCommands.Limits) -> Void = { _ in }) -> RelayedCommands {
        var limits = RelayedCommands.Limits()
        change(&limits)
        return RelayedCommands(limits)
    }

    @Test func `commands are found by their serials, once`() {
        var commands = commands()
        #expect(commands.nextSerial == 1)
        for serial in 1...3 as ClosedRange<UInt64> { commands.add(entry(serial, at: 0)) }
        #expect(commands.nextSerial == 4)
        let found = [2, 2, 4].map { commands.remove($0)?.command.serial }
        #expect(found == [2, nil, nil])
        #expect(commands.commands.map(\.serial) == [1, 3])
        let rest = commands.removeAll()
        #expect(rest.map(\.command.serial) == [1, 3])
        #expect(commands.isEmpty)
        #expect(commands.nextSerial == 4)
    }

    @Test func `commands are full by their number or their bytes, until some are gone`() {
        var few = commands { $0.commands = 2 }
        few.add(entry(1, at: 0))
        #expect(!few.isFull)
        few.add(entry(2, at: 0))
        #expect(few.isFull)
        _ = few.remove(1)
        #expect(!few.isFull)
        var small = commands { $0.bytes = 20 }
        small.add(entry(1, at: 0, bytes: 19))
        #expect(!small.isFull)
        small.add(entry(2, at: 0, bytes: 1))
        #expect(small.isFull)
        _ = small.removeLate(at: 30_000)
        #expect(!small.isFull)
        small.add(entry(3, at: 0, bytes: 20))
        _ = small.removeAll()
        #expect(!small.isFull)
    }

    @Test func `commands are stalled while the oldest has waited too long, whatever came after it`() {
        var commands = commands()
        func isStalled(_ now: Int64) -> Bool { commands.isStalled(at: now) }
        #expect(!isStalled(1_000_000))
        for serial in 1...3 as ClosedRange<UInt64> { commands.add(entry(serial, at: Int64(serial) * 1_000)) }
        #expect(!isStalled(3_000))
        #expect(isStalled(3_001))
        _ = commands.remove(2)
        #expect(isStalled(3_001))
        _ = commands.remove(1)
        #expect(!isStalled(5_000))
        #expect(isStalled(5_001))
    }

    @Test func `late commands are removed in order, and only those`() {
        var commands = commands()
        for serial in 1...3 as ClosedRange<UInt64> { commands.add(entry(serial, at: Int64(serial))) }
        let none = commands.removeLate(at: 20_001)
        #expect(none.isEmpty)
        let late = commands.removeLate(at: 20_003)
        #expect(late.map(\.command.serial) == [1, 2])
        #expect(commands.count == 1)
    }
}
