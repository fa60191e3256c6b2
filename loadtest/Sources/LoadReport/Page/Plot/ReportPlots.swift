/// The plots of a report.
extension Report {
    /// The percentile plots, one per unit, so that comparable values share a plot.
    var percentilePlots: [Markup] {
        grouped(distributions) { $0.unit }.map { group in
            let lines = group.map(\.line)
            let unit = group.first?.unit ?? ""
            return Plot(
                title: group.count == 1 ? group[0].name : "Distributions",
                note:
                    "At “99 %” is the value that 99 of 100 did not exceed (p99). The scale stretches the rare high "
                    + "values: the flatter the line, the more consistent the service. The last dot is the maximum.",
                x: .percentiles(upTo: lines.flatMap { $0.points.map(\.x) }.max() ?? 99),
                y: .values(lines.flatMap { $0.points.map(\.y) }), xLabel: "share of values that do not exceed this",
                yLabel: Self.spelled(unit), lines: lines
            ).markup
        }
    }

    /// The series plots, one per unit and kind of axis.
    var seriesPlots: [Markup] {
        grouped(series) { [$0.xName, $0.unit] }.map { group in
            let lines = group.map(\.line)
            let together = group[0].xName == "seconds" ? "Over time" : "By \(group[0].xName)"
            return Plot(
                title: group.count == 1 ? group[0].name : together, note: "",
                x: .range(lines.flatMap { $0.points.map(\.x) }), y: .values(lines.flatMap { $0.points.map(\.y) }),
                xLabel: group[0].xName, yLabel: Self.spelled(group[0].unit), lines: lines
            ).markup
        }
    }

    /// Groups the elements in the order in which their keys first appear; each group fits into one plot.
    private func grouped<Element, Key: Equatable>(_ all: [Element], by key: (Element) -> Key) -> [[Element]] {
        var groups: [(key: Key, elements: [Element])] = []
        for element in all {
            let own = key(element)
            if let index = groups.lastIndex(where: { $0.key == own }), groups[index].elements.count < Plot.maximumLines
            {
                groups[index].elements.append(element)
            } else {
                groups.append((own, [element]))
            }
        }
        return groups.map(\.elements)
    }

    private static func spelled(_ unit: String) -> String {
        switch unit {
        case "ms": "milliseconds"
        case "µs": "microseconds"
        case "s": "seconds"
        case "/s": "per second"
        default: unit
        }
    }
}

extension Report.Distribution {
    /// The distribution as a line. The greatest value is placed half a value before the end, as points beyond it carry
    /// no information.
    fileprivate var line: Plot.Line {
        let end = 100 * (1 - 0.5 / Double(max(1, count)))
        let shown = points.filter { $0.percentile <= end || $0.percentile >= 100 }
            .map { (min($0.percentile, end), $0.value, $0.percentile) }.filter { Plot.canShow($0.1) }
        let known = shown.filter { shown in Report.percentiles.contains { abs($0 - shown.2) < 1e-9 } }
        return Plot.Line(
            name: name, points: shown.map { ($0.0, $0.1) }.plottable,
            dots: known.map { ($0.0, $0.1, "\(name), \(Amount.percentile($0.2)): \(Amount.text($0.1, unit))") })
    }
}

extension Report.Series {
    /// The series as a line. Short series get a dot per point, so that a single point is visible.
    fileprivate var line: Plot.Line {
        let shown = points.map { ($0.x, $0.y) }.plottable
        let dots = shown.count > 60 ? [] : shown
        return Plot.Line(
            name: name, points: shown,
            dots: dots.map { ($0.x, $0.y, "\(name), \(xName) \(Amount.tick($0.x)): \(Amount.text($0.y, unit))") })
    }
}

extension Plot {
    /// Returns whether a value can be placed on an axis.
    static func canShow(_ value: Double) -> Bool { value.isFinite && abs(value) < 1e15 }
}

extension [(Double, Double)] {
    fileprivate var plottable: [(x: Double, y: Double)] {
        filter { Plot.canShow($0.0) && Plot.canShow($0.1) }.map { (x: $0.0, y: $0.1) }
    }
}
