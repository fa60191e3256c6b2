/// A line plot in SVG that fills its width while text and strokes keep their size: the drawing is stretched, and the
/// labels are in separate drawings next to and below it.
struct Plot {
    struct Line {
        var name: String
        /// Ascending in x.
        var points: [(x: Double, y: Double)]
        /// Points with a dot, and their descriptions.
        var dots: [(x: Double, y: Double, text: String)] = []
    }

    /// The number of colours; further lines go into another plot.
    static let maximumLines = 6
    private static let width = 1_000.0
    private static let height = 240.0

    var title: String
    /// An explanation of how to read the plot.
    var note: String
    var x: Scale
    var y: Scale
    var xLabel: String
    var yLabel: String
    var lines: [Line]

    var markup: Markup {
        """
        <figure>
        <figcaption><b>\(title)</b> \(note)</figcaption>
        \(legend)\
        <div class="axis">\(yLabel)\(y.kind == .logarithmic ? " (logarithmic: equal steps, equal factors)" : "")</div>
        <div class="plot">\(heights)\(drawing)\(labels)</div>
        <div class="axis below">\(xLabel)</div>
        </figure>

        """
    }

    /// The legend; empty for a single line, which the title describes.
    private var legend: Markup {
        if lines.count < 2 { return .empty }
        return """
            <ul class="legend">\(lines.indices.map { index -> Markup in
                """
                <li><svg class="l\(index + 1)" width="26" height="8" aria-hidden="true">\
                <path d="M1 4H25"/></svg> \(lines[index].name)</li>
                """
            })</ul>

            """
    }

    /// The labels on the left.
    private var heights: Markup {
        """
        <svg class="ys" width="64" height="\(Self.height)" aria-hidden="true">\(y.ticks.map { tick -> Markup in
            "<text x=\"56\" y=\"\(height(tick.place) + 4)\">\(tick.label)</text>"
        })</svg>
        """
    }

    private var labels: Markup {
        """
        <svg class="xs" width="100%" height="22" aria-hidden="true">\(x.ticks.map { tick -> Markup in
            """
            <text\(tick.isMinor ? " class=\"minor\"" as Markup : .empty) x="\(tick.place * 100)%" y="16">\
            \(tick.label)</text>
            """
        })</svg>
        """
    }

    private var drawing: Markup {
        """
        <svg class="lines" width="100%" height="\(Self.height)" viewBox="0 0 \(Self.width) \(Self.height)" \
        preserveAspectRatio="none" role="img" aria-label="\(title)">\
        <path class="grid" d="\(grid)"/>\(lines.indices.map(drawn))</svg>
        """
    }

    private var grid: Markup {
        var path = Markup.empty
        for tick in y.ticks { path += "M0 \(height(tick.place))H\(Self.width)" }
        for tick in x.ticks { path += "M\(tick.place * Self.width) 0V\(Self.height)" }
        return path
    }

    private func drawn(_ index: Int) -> Markup {
        let line = lines[index]
        var path = Markup.empty
        for (index, point) in Thinning.thinned(line.points).enumerated() {
            path += index == 0 ? "M" : "L"
            path += place(point.x, point.y)
        }
        return """
            <g class="l\(index + 1)"><path d="\(path)"/>\(line.dots.map { dot -> Markup in
                "<path class=\"dot\" d=\"M\(place(dot.x, dot.y))h0\"><title>\(dot.text)</title></path>"
            })</g>
            """
    }

    private func place(_ x: Double, _ y: Double) -> Markup {
        "\(self.x.place(x) * Self.width) \(height(self.y.place(y)))"
    }

    private func height(_ place: Double) -> Double { (1 - place) * Self.height }
}

/// Reduces the number of points without changing how a line looks.
enum Thinning {
    /// - Returns: All points if there are at most 800; otherwise the lowest and the highest of each of 400 equal parts,
    ///   so that no peak is lost.
    static func thinned(_ points: [(x: Double, y: Double)]) -> [(x: Double, y: Double)] {
        let parts = 400
        guard points.count > 2 * parts else { return points }
        return (0..<parts).flatMap { part -> [(x: Double, y: Double)] in
            let range = points.count * part / parts..<points.count * (part + 1) / parts
            guard let low = range.min(by: { points[$0].y < points[$1].y }),
                let high = range.max(by: { points[$0].y < points[$1].y })
            else { return [] }
            return low == high ? [points[low]] : [points[min(low, high)], points[max(low, high)]]
        }
    }
}
