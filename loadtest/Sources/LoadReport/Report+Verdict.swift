extension Report {
    /// The verdict on a goal.
    enum Verdict: Equatable {
        case reached
        /// The rounds disagree, so the median alone decides nothing.
        case withinSpread(medianReaches: Bool)
        case missed
    }

    /// Belfry's result in one measure relative to one other server.
    enum Standing: Equatable {
        case better, worse
        /// Better in some rounds and worse in others.
        case withinSpread
        /// Measured once, with a difference of at most `evenWithin`.
        case even
    }
}

extension Report.Goal {
    /// - Returns: Reached or missed only if the whole spread agrees; without a spread the value decides.
    func verdict(_ value: Double, spread: ClosedRange<Double>? = nil) -> Report.Verdict {
        let all = [value, spread?.lowerBound ?? value, spread?.upperBound ?? value].map(holds)
        if all.allSatisfy({ $0 }) { return .reached }
        return all.contains(true) ? .withinSpread(medianReaches: holds(for: value)) : .missed
    }
}

extension Report.Comparison.Spread {
    /// Whether the least and the greatest value are equal, because there was only one measurement.
    var isPoint: Bool { least == greatest }

    /// The spread as a range; nil if its ends are equal or not numbers.
    var range: ClosedRange<Double>? { least < greatest ? least...greatest : nil }
}

extension Report.Comparison.Measure {
    /// The largest difference that a single measurement cannot establish.
    static let evenWithin = 0.05

    /// - Parameter ratio: Belfry's value divided by the other server's.
    func standing(_ ratio: Report.Comparison.Spread) -> Report.Standing {
        if ratio.isPoint, abs(ratio.median - 1) <= Self.evenWithin { return .even }
        if ratio.greatest < 1 { return better == .less ? .better : .worse }
        if ratio.least > 1 { return better == .less ? .worse : .better }
        return .withinSpread
    }
}

extension Report.Comparison.Reading {
    /// A round that differs from the median by more than this factor is an outlier.
    static let outlierFactor = 1.5

    /// The outlying rounds, counted from 1.
    var outliers: [(round: Int, value: Double)] {
        let middle = value.median
        guard let rounds, middle > 0 else { return [] }
        return rounds.enumerated().compactMap { index, value in
            value > middle * Self.outlierFactor || value < middle / Self.outlierFactor ? (index + 1, value) : nil
        }
    }

    var verdict: Report.Verdict? {
        guard let ratio, let goal else { return nil }
        return goal.verdict(ratio.median, spread: ratio.range)
    }
}

extension Report.Comparison {
    /// Returns one sentence about the outlying rounds of a measure and the noise in them, or none.
    func outliersInWords(_ index: Int) -> [String] {
        let unit = index < measures.count ? measures[index].unit : ""
        let outliers = contenders.flatMap { contender -> [String] in
            let reading = index < contender.readings.count ? contender.readings[index] : nil
            return (reading?.outliers ?? []).map { round, value in
                let noise = noise.flatMap { round <= $0.count ? $0[round - 1] : nil }
                let beside = noise.map { ", machine's noise before it \(Amount.text($0, "×"))" } ?? ""
                return "\(contender.name), round \(round): \(Amount.text(value, unit))\(beside)"
            }
        }
        if outliers.isEmpty { return [] }
        let shown = outliers.prefix(Self.outliersShown).joined(separator: "; ")
        let more = outliers.count > Self.outliersShown ? "; and \(outliers.count - Self.outliersShown) more" : ""
        return [
            "Outlying rounds (more than \(Amount.tick(Report.Comparison.Reading.outlierFactor)) times the median or"
                + " less than 1/\(Amount.tick(Report.Comparison.Reading.outlierFactor)) of it): \(shown)\(more)."
        ]
    }

    /// The number of outliers listed; nobody reads a longer list.
    static let outliersShown = 8
}
