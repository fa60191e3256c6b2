import Testing

@testable import LoadReport

@Suite struct VerdictTests {
    @Test(
        arguments: [
            (.atMost(1), 0.9, 0.8...0.95, .reached), (.atMost(1), 0.9, 0.8...1.0, .reached),
            (.atMost(1), 0.9, 0.8...1.1, .withinSpread(medianReaches: true)),
            (.atMost(1), 1.05, 0.8...1.1, .withinSpread(medianReaches: false)), (.atMost(1), 1.05, 1.01...1.1, .missed),
            (.atMost(1), 1.05, nil, .missed), (.atMost(1), 1, nil, .reached),
            (.atLeast(5), 6, 5...9, .reached), (.atLeast(5), 6, 4.9...9, .withinSpread(medianReaches: true)),
            (.atLeast(5), 4, 3...4.9, .missed),
        ] as [(Report.Goal, Double, ClosedRange<Double>?, Report.Verdict)])
    func `a goal is reached or missed only if the whole spread agrees`(
        goal: Report.Goal, value: Double, spread: ClosedRange<Double>?, verdict: Report.Verdict
    ) {
        #expect(goal.verdict(value, spread: spread) == verdict)
    }

    @Test(
        arguments: [
            (.less, [0.5, 0.9], .better), (.less, [1.1, 2], .worse), (.less, [0.9, 1.1], .withinSpread),
            (.more, [0.5, 0.9], .worse), (.more, [1.1, 2], .better), (.less, [1.04], .even), (.less, [0.96], .even),
            (.less, [1.06], .worse), (.less, [0.94], .better), (.more, [13], .better),
            (.less, [0.9, 1], .withinSpread),
        ] as [(Report.Comparison.Measure.Better, [Double], Report.Standing)])
    func `better and worse require every round to agree`(
        better: Report.Comparison.Measure.Better, ratios: [Double], standing: Report.Standing
    ) throws {
        let spread = try #require(Report.Comparison.Spread(of: ratios))
        #expect(Report.Comparison.Measure("m", "s", better: better).standing(spread) == standing)
    }

    @Test func `a round is an outlier if it differs from the median by more than a factor of 1.5`() {
        func outliers(_ rounds: [Double]) -> [Int] {
            Report.Comparison.Spread(of: rounds).map {
                Report.Comparison.Reading($0, rounds: rounds).outliers.map(\.round)
            } ?? []
        }
        #expect(outliers([10, 15, 10, 6.7, 10]) == [])
        #expect(outliers([10, 15.1, 10, 6.6, 10]) == [2, 4])
        #expect(outliers([]) == [])
        #expect(outliers([0, 0, 0]) == [])
    }

    @Test(
        arguments: [
            (0.60004, .atMost(0.6), "0.60004"), (0.59996, .atMost(0.6), "0.600"), (0.634, .atMost(0.6), "0.634"),
            (1_499_999.7, .atLeast(1_500_000), "1,499,999.7"), (1.0499, .atMost(1.05), "1.05"),
            (1.0501, .atMost(1.05), "1.0501"), (.nan, .atMost(1), "–"), (7, .atMost(6.99), "7"),
        ] as [(Double, Report.Goal, String)])
    func `rounding never hides on which side of a goal a value lies`(value: Double, goal: Report.Goal, text: String) {
        #expect(Amount.text(value, deciding: goal) == text)
    }

    @Test(arguments: [(4.5, "4.50 s"), (61, "1 min 1 s"), (59.6, "1 min 0 s"), (3_725, "1 h 2 min"), (-1, "–")])
    func `a duration is written in common units`(seconds: Double, text: String) {
        #expect(Amount.duration(seconds).replacing("\u{A0}", with: " ") == text)
    }
}
