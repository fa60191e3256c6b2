import EventLoops
import TestSupport
import Testing

@Suite struct TimerWheelTests {
    @Test func `a timer is due at its tick, not before`() {
        for deadline in [1, 2, 7, 8, 9, 15, 16, 17, 800] as [UInt64] {
            var wheel = TimerWheel<String>(slotCount: 8)
            _ = wheel.schedule("a", at: deadline)
            wheel.advance(to: deadline - 1)
            #expect(wheel.popDue() == nil)
            wheel.advance(to: deadline)
            #expect(wheel.popDue() == "a")
            #expect(wheel.isEmpty)
        }
    }

    @Test func `a deadline in the past is due at the next tick`() {
        var wheel = TimerWheel<String>(slotCount: 8, tick: 100)
        _ = wheel.schedule("over", at: 3)
        _ = wheel.schedule("now", at: 100)
        wheel.advance(to: 100)
        #expect(!wheel.hasDue)
        wheel.advance(to: 101)
        #expect(wheel.popDue() == "over")
        #expect(wheel.popDue() == "now")
    }

    @Test func `timers keep their order when a stall lasts many turns of the wheel`() {
        var wheel = TimerWheel<Int>(slotCount: 8)
        for deadline in [90, 17, 9, 40, 16, 200] as [UInt64] { _ = wheel.schedule(Int(deadline), at: deadline) }
        wheel.advance(to: 100)
        var fired: [Int] = []
        while let value = wheel.popDue() { fired.append(value) }
        #expect(fired == [9, 16, 17, 40, 90])
        #expect(wheel.count == 1)
    }

    @Test func `a due timer can still be cancelled, once`() {
        var wheel = TimerWheel<String>(slotCount: 8)
        let token = wheel.schedule("a", at: 1)
        wheel.advance(to: 1)
        #expect(wheel.cancel(token) == "a")
        #expect(wheel.cancel(token) == nil)
        #expect(wheel.popDue() == nil)
    }

    /// Compares random scheduling, cancelling (also with stale tokens), advancing and partial popping with a linearly
    /// searched list.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `the wheel matches a naive model`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let slotCount = [1, 2, 8, 64].randomElement(using: &random) ?? 8
        var now = UInt64.random(in: 0...1000, using: &random)
        var wheel = TimerWheel<Int>(slotCount: slotCount, tick: now)
        var model: [(deadline: UInt64, id: Int)] = []
        var tokens: [(token: TimerToken, id: Int)] = []

        for step in 0..<2000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let deadline = now &+ UInt64.random(in: 0...UInt64(slotCount * 5), using: &random)
                tokens.append((wheel.schedule(step, at: deadline), step))
                model.append((max(deadline, now + 1), step))
            case 5..<7:
                guard let (token, id) = tokens.randomElement(using: &random) else { continue }
                let expected = model.firstIndex { $0.id == id }
                expected.map { _ = model.remove(at: $0) }
                let cancelled = wheel.cancel(token)
                #expect(cancelled == (expected == nil ? nil : id), "seed \(seed), step \(step)")
            case 7:
                now += UInt64.random(in: 0...UInt64(slotCount * 3), using: &random)
                wheel.advance(to: now)
            case 8:
                now += UInt64.random(in: 0...2, using: &random)
                wheel.advance(to: now)
            default:
                for _ in 0..<Int.random(in: 0..<20, using: &random) {
                    let expected = model.filter { $0.deadline <= now }.min {
                        ($0.deadline, $0.id) < ($1.deadline, $1.id)
                    }
                    let fired = wheel.popDue()
                    #expect(fired == expected?.id, "seed \(seed), step \(step)")
                    model.removeAll { $0.id == expected?.id }
                }
            }
            #expect(wheel.count == model.count, "seed \(seed), step \(step)")
            #expect(wheel.hasDue == model.contains { $0.deadline <= now }, "seed \(seed), step \(step)")
        }
    }
}
