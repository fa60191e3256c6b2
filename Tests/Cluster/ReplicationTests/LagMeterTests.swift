import Testing

@testable import Replication

@Suite struct LagMeterTests {
    @Test func `the lag counts from when the oldest message that is not applied became known`() {
        var meter = LagMeter()
        #expect(meter.since == nil)
        meter.learn(upTo: 3, at: 100)
        meter.learn(upTo: 2, at: 150)
        meter.learn(upTo: 5, at: 200)
        #expect(meter.since == 100)
        meter.apply(upTo: 2)
        #expect(meter.since == 100)
        meter.apply(upTo: 3)
        #expect(meter.since == 200)
        meter.apply(upTo: 9)
        #expect(meter.since == nil)
        // Known since, and applied before anybody said so.
        meter.learn(upTo: 9, at: 300)
        #expect(meter.since == nil)
        meter.learn(upTo: 10, at: 400)
        #expect(meter.since == 400)
    }

    @Test func `a busy log under way for hours needs little memory, and the lag of what is left is not understated`() {
        var meter = LagMeter()
        for number in 1...100_000 as ClosedRange<UInt64> { meter.learn(upTo: number, at: Int64(number)) }
        #expect(meter.since == 1)
        meter.apply(upTo: 99_999)
        #expect(meter.since.map { $0 <= 100_000 } == true)
        meter.apply(upTo: 100_000)
        #expect(meter.since == nil)
    }
}
