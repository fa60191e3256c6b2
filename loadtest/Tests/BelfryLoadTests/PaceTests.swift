import Histogram
import LoadReport
import Testing

@testable import BelfryLoad

struct PaceTests {
    @Test func `a rate that does not divide a second does not drift`() {
        let pace = Pace(rate: 7, warmupSeconds: 2, seconds: 3)
        #expect(pace.intended(0) == 0)
        #expect(pace.intended(7) == 1_000_000_000)
        #expect(pace.intended(34) == 4_857_142_857)
        #expect(pace.messages == 35 && pace.warmupMessages == 14)
        #expect(Pace.intended(30_001, rate: 3) == 10_000_333_333_333)
    }

    @Test func `warm-up messages belong to no interval, those of one second belong to the same`() {
        let pace = Pace(rate: 5, warmupSeconds: 2, seconds: 3)
        #expect(pace.stretchCount == 3)
        #expect((0..<25).map(pace.stretch) == [Int?](repeating: nil, count: 10) + (0..<15).map { $0 / 5 })
        #expect(pace.stretch(of: 25) == nil)
    }

    @Test func `a long run has as few intervals as a short one`() {
        let pace = Pace(rate: 1, warmupSeconds: 0, seconds: 250)
        #expect(pace.stretchSeconds == 3 && pace.stretchCount == 84)
        #expect(pace.stretch(of: 249) == 83)
    }

    @Test func `messages are issued at their scheduled times and never before`() {
        let pace = Pace(rate: 1_000, warmupSeconds: 0, seconds: 1)
        let start = Clock.now
        var seen: [Int] = []
        pace.run(3..<6, from: start) { sequence, intended, _ in
            #expect(Clock.now >= intended && intended == start + pace.intended(sequence - 3))
            seen.append(sequence)
        }
        #expect(seen == [3, 4, 5])
    }
}

struct HistogramTests {
    private func histogram(_ values: [UInt64]) -> Histogram<UInt64> {
        var histogram = Histogram<UInt64>.latency()
        for value in values { _ = histogram.record(value) }
        return histogram
    }

    @Test func `percentiles are computed over all values of several histograms, not averaged`() {
        let quick = histogram(Array(repeating: 1_000_000, count: 99))
        let slow = histogram([500_000_000])
        let all = Histogram(merging: [quick, histogram([]), slow])
        #expect(all.totalCount == 100)
        #expect(abs(all.milliseconds(50) - 1) < 0.01)
        #expect(abs(all.milliseconds(100) - 500) < 1)
        #expect(Histogram(merging: [Histogram<UInt64>]()).totalCount == 0)
    }

    @Test func `a distribution has its points in milliseconds, and none without values`() {
        let distribution = histogram([2_000_000, 4_000_000]).distribution("x")
        #expect(distribution.count == 2 && distribution.unit == "ms")
        #expect(distribution.points.map(\.percentile) == [0, 50, 75, 90, 95, 99, 99.9, 99.99, 100])
        #expect(zip(distribution.points, distribution.points.dropFirst()).allSatisfy { $0.value <= $1.value })
        #expect(histogram([]).distribution("x").points.isEmpty)
    }

    @Test func `the series has a point for each interval, at its end`() {
        let stretches = [histogram([1_000_000, 1_000_000]), histogram([])]
        let series = OverTime(stretches: stretches, stretchSeconds: 2).series("deliveries")
        #expect(series.map(\.unit) == ["/s", "ms"])
        #expect(series[0].points == [.init(2, 1), .init(4, 0)])
    }
}

struct ProblemListTests {
    @Test func `the first problems are listed, with a count of the rest`() {
        var list = ProblemList()
        #expect(list.isEmpty && list.lines.isEmpty)
        for number in 0..<20 { list.add("\(number)") }
        #expect(list.lines.count == 20 && list.lines.last == "19")
        list.add(["20", "21"])
        #expect(list.lines.count == 20 && list.lines.last == "and 3 more problems")
    }
}

struct HearingTests {
    private func problems(hearing sequences: [Int], offsets: [UInt64]) -> [String] {
        let ledger = Ledger(messages: 4)
        for offset in offsets { ledger.record(offset: offset) }
        for sequence in sequences { _ = ledger.record(message: sequence) }
        var (hearing, list) = (Hearing(), ProblemList())
        hearing.add("ann", ledger.findings(sent: 4, excusing: []), losses: [], to: &list)
        return list.lines
    }

    @Test func `a message that is missing, duplicated or out of order is a problem`() {
        #expect(problems(hearing: [0, 1, 2, 3], offsets: [1, 2, 3, 4]) == [])
        #expect(problems(hearing: [0, 1, 3], offsets: [1, 2, 3, 4]) == ["ann misses 1 messages, first 2"])
        #expect(problems(hearing: [0, 1, 1, 2, 3], offsets: [1, 2, 3, 4]) == ["ann received 1 messages twice"])
        #expect(
            problems(hearing: [0, 1, 2, 3], offsets: [1, 3, 2, 4])
                == ["ann received offset 3, expected 2 (2 in all)"])
    }

    @Test func `a lost connection is a problem`() {
        var (hearing, list) = (Hearing(), ProblemList())
        hearing.add("ann", Ledger(messages: 0).findings(sent: 0, excusing: []), losses: ["no ping"], to: &list)
        #expect(list.lines.count == 1 && hearing.lostConnections == 1)
    }
}

struct CommandLineTextTests {
    @Test func `a reported command line can be run again`() {
        #expect(CommandLineText.quoted(["belfry-load", "idle", "100"]) == "belfry-load idle 100")
        #expect(CommandLineText.quoted(["a b", "", "it's"]) == #"'a b' '' 'it'\''s'"#)
    }
}
