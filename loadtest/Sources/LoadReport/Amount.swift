/// Numbers as people read them: three digits that matter, thousands in groups.
enum Amount {
    /// `0.0123`, `4.61`, `12.3`, `245`, `1,500`; whole numbers without a point; `–` for what is no number.
    static func text(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        guard abs(value) < 1e15 else { return "\(value)" }
        if value == value.rounded() { return whole(Int(value)) }
        let size = abs(value)
        let digits =
            switch size {
            case 99.95...: 0
            case 9.995...: 1
            case 0.9995...: 2
            case 0.09995...: 3
            case 0.009995...: 4
            default: 6
            }
        return fixed(value, digits)
    }

    /// With its unit: `12.3 ms`, `1,500/s`.
    static func text(_ value: Double, _ unit: String) -> String {
        joined(text(value), unit)
    }

    private static func joined(_ number: String, _ unit: String) -> String {
        if unit.isEmpty { return number }
        let joins = unit.hasPrefix("/") || unit == "%"
        return number + (joins ? "" : "\u{A0}") + unit
    }

    static func text(_ goal: Report.Goal, _ unit: String) -> String {
        switch goal {
        case .atMost(let bound): "at most " + tick(bound, unit)
        case .atLeast(let bound): "at least " + tick(bound, unit)
        }
    }

    /// For what somebody chose, at an axis or as a goal: without the zeros at the end.
    static func tick(_ value: Double, _ unit: String = "") -> String {
        var text = text(value)
        if text.contains(".") {
            while text.last == "0" { text.removeLast() }
            if text.last == "." { text.removeLast() }
        }
        return joined(text, unit)
    }

    static func whole(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return value < 0 ? "−" + text : text
    }

    /// `1 check`, `2 checks`.
    static func count(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(whole(count)) \(count == 1 ? one : many ?? one + "s")"
    }

    /// `p50`, `p99.9`, `max`.
    static func percentile(_ percentile: Double) -> String {
        if percentile >= 100 { return "max" }
        return percentile == percentile.rounded() ? "p\(Int(percentile))" : "p\(percentile)"
    }

    private static func fixed(_ value: Double, _ digits: Int) -> String {
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((abs(value) * Double(scale)).rounded())
        let sign = value < 0 && scaled > 0 ? "−" : ""
        guard digits > 0 else { return sign + whole(scaled) }
        let fraction = String(scaled % scale)
        return sign + whole(scaled / scale) + "."
            + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
