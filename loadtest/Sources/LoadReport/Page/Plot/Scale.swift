import Glibc

/// Maps values to positions on an axis.
struct Scale {
    enum Kind {
        case linear
        case logarithmic
        /// Percentiles: 90, 99 and 99.9 are equally far apart, because the last ones matter most.
        case nines
    }

    struct Tick {
        /// 0 to 1.
        var place: Double
        var label: String
        /// Whether the label is omitted if space is short.
        var isMinor = false
    }

    let kind: Kind
    /// The start in units of the axis: values, their decimal logarithms, or nines.
    private let low: Double
    private let high: Double
    private(set) var ticks: [Tick] = []

    /// - Returns: 0 to 1; values beyond an end are clamped.
    func place(_ value: Double) -> Double {
        let position =
            switch kind {
            case .linear: value
            case .logarithmic: value > 0 ? log10(value) : low
            case .nines: value >= 100 ? high : -log10(1 - max(0, value) / 100)
            }
        return min(1, max(0, (position - low) / (high - low)))
    }

    /// Returns a scale for heights. It starts at zero, or is logarithmic if the greatest value is more than 30 times
    /// the least.
    static func values(_ values: [Double]) -> Scale {
        let least = values.min() ?? 0
        let greatest = values.max() ?? 0
        if least > 0, greatest / least > 30 {
            return Scale(decadesFrom: floor(log10(least)), to: ceil(log10(greatest)))
        }
        return Scale(from: min(0, least), to: max(0, greatest), wholeSteps: true)
    }

    /// Returns a scale for values shown next to each other. It starts at zero, or is logarithmic if the greatest value
    /// is more than eight times the least, because small values would be indistinguishable.
    static func beside(_ values: [Double]) -> Scale {
        let greatest = values.max() ?? 0
        guard let least = values.min(), least > 0, greatest / least > 8 else { return .values(values) }
        return Scale(stepsAround: least...greatest)
    }

    /// Returns a scale for time, from the first value to the last. Whole rounds and seconds have no fractions.
    static func range(_ values: [Double]) -> Scale {
        let areCounted = values.allSatisfy { $0 == $0.rounded() }
        return Scale(
            from: values.min() ?? 0, to: values.max() ?? 1, wholeSteps: false, leastStep: areCounted ? 1 : 0)
    }

    /// - Parameter last: The last percentile, below 100; at least 99 is shown.
    static func percentiles(upTo last: Double) -> Scale {
        Scale(nines: min(8, max(2, last < 100 ? -log10(1 - last / 100) : 8)))
    }

    private init(nines: Double) {
        kind = .nines
        (low, high) = (0, nines)
        let labels = [(50.0, "50 %"), (90, "90 %"), (99, "99 %"), (99.9, "99.9 %"), (99.99, "99.99 %")]
        ticks = (labels + [(99.999, "99.999 %"), (99.9999, "99.9999 %")])
            .filter { -log10(1 - $0.0 / 100) <= nines + 1e-9 }
            .map { Tick(place: place($0.0), label: $0.1, isMinor: nines > 4 && [50, 99.99, 99.9999].contains($0.0)) }
    }

    /// Creates a logarithmic scale that starts and ends at a step of 1, 2 or 5.
    private init(stepsAround range: ClosedRange<Double>) {
        kind = .logarithmic
        let decades = (floor(log10(range.lowerBound)), ceil(log10(range.upperBound)))
        let steps = stride(from: decades.0, through: decades.1, by: 1).flatMap { decade in
            [1, 2, 5].map { (value: $0 * pow(10, decade), isWhole: $0 == 1) }
        }
        let first = steps.last { $0.value <= range.lowerBound }?.value ?? range.lowerBound
        let last = steps.first { $0.value >= range.upperBound }?.value ?? range.upperBound
        (low, high) = (log10(first), log10(last))
        let inside = steps.filter { $0.value >= first * (1 - 1e-9) && $0.value <= last * (1 + 1e-9) }
        let wholes = inside.filter(\.isWhole)
        let every = Int((Double(wholes.count) / 8).rounded(.up))
        let chosen = inside.count <= 8 ? inside : wholes.enumerated().filter { $0.offset % every == 0 }.map(\.element)
        ticks = chosen.map { Tick(place: place($0.value), label: Amount.short($0.value)) }
    }

    private init(decadesFrom first: Double, to last: Double) {
        kind = .logarithmic
        (low, high) = (first, max(last, first + 1))
        let step = max(1, ((high - low) / 8).rounded(.up))
        let steps: [Double] = high - low <= 2 ? [1, 2, 5] : [1]
        for decade in stride(from: low, through: high, by: step) {
            for value in steps.map({ $0 * pow(10, decade) }) where log10(value) <= high + 1e-9 {
                ticks.append(Tick(place: place(value), label: Amount.tick(value)))
            }
        }
    }

    /// - Parameters:
    ///   - wholeSteps: Whether the axis ends at a tick.
    ///   - leastStep: The smallest distance between two ticks.
    private init(from first: Double, to last: Double, wholeSteps: Bool, leastStep: Double = 0) {
        kind = .linear
        let range = last > first ? last - first : 1
        let magnitude = pow(10, floor(log10(range / 5)))
        let step = max(leastStep, [1, 2, 5, 10].map { $0 * magnitude }.first { range / $0 <= 6 } ?? range)
        low = wholeSteps ? floor(first / step + 1e-9) * step : first
        high = wholeSteps ? max(low + step, ceil((first + range) / step - 1e-9) * step) : first + range
        var tick = ceil(low / step - 1e-9)
        while tick * step <= high + step * 1e-6, ticks.count < 20 {
            ticks.append(Tick(place: place(tick * step), label: Amount.tick(tick * step)))
            tick += 1
        }
    }
}
