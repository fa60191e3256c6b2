/// Formats numbers for display: three significant digits, thousands in groups.
public enum Amount {
    /// Returns `0.0123`, `4.61`, `12.3`, `245` or `1,500`; whole numbers without a decimal point; `–` for NaN and
    /// infinity.
    public static func text(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        guard abs(value) < 1e15 else { return "\(value)" }
        if value == value.rounded() { return whole(Int(value)) }
        return fixed(value, digits(value))
    }

    /// Uses enough digits to show on which side of the goal the value lies: not 0.600 for 0.60004 if the goal is at
    /// most 0.6.
    static func text(_ value: Double, _ unit: String = "", deciding goal: Report.Goal?) -> String {
        guard let goal, value.isFinite, abs(value) < 1e9, value != value.rounded() else { return text(value, unit) }
        var digits = digits(value)
        while digits < 9, goal.holds(for: rounded(value, digits)) != goal.holds(for: value) { digits += 1 }
        return joined(fixed(value, digits), unit)
    }

    private static func digits(_ value: Double) -> Int {
        switch abs(value) {
        case 99.95...: 0
        case 9.995...: 1
        case 0.9995...: 2
        case 0.09995...: 3
        case 0.009995...: 4
        default: 6
        }
    }

    private static func rounded(_ value: Double, _ digits: Int) -> Double {
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        return (value * scale).rounded() / scale
    }

    /// Returns the value with its unit: `12.3 ms`, `1,500/s`.
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

    /// Formats chosen values, such as goals and axis ticks, without trailing zeros.
    static func tick(_ value: Double, _ unit: String = "") -> String {
        var text = text(value)
        if text.contains(".") {
            while text.last == "0" { text.removeLast() }
            if text.last == "." { text.removeLast() }
        }
        return joined(text, unit)
    }

    /// Formats a value for an axis with little space: `50 k`, `1.5 M`.
    static func short(_ value: Double) -> String {
        switch abs(value) {
        case 1e6..<1e9: tick(value / 1e6, "M")
        case 1e4..<1e6: tick(value / 1e3, "k")
        default: tick(value)
        }
    }

    /// Returns a duration in common units: `45 s`, `3 min 20 s`, `1 h 5 min`.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, (0..<1e9).contains(seconds) else { return "–" }
        if seconds < 9.95 { return text(seconds, "s") }
        let whole = Int(seconds.rounded())
        let (hours, minutes, rest) = (whole / 3_600, whole / 60 % 60, whole % 60)
        if hours > 0 { return "\(hours)\u{A0}h \(minutes)\u{A0}min" }
        return minutes > 0 ? "\(minutes)\u{A0}min \(rest)\u{A0}s" : "\(rest)\u{A0}s"
    }

    /// Returns an integer with thousands in groups: `1,000`.
    public static func whole(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return value < 0 ? "−" + text : text
    }

    /// Returns a count with its noun: `1 check`, `2 checks`.
    static func count(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(whole(count)) \(count == 1 ? one : many ?? one + "s")"
    }

    /// Returns the name of a percentile: `p50`, `p99.9`, `max`.
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
