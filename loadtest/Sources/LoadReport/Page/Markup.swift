/// The markup of a page. Interpolated values other than markup are escaped, so that input cannot alter the page's
/// structure.
struct Markup: ExpressibleByStringInterpolation {
    private(set) var text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ value: Markup) { text += value.text }
        mutating func appendInterpolation(_ value: String) { text += Markup.escaped(value) }
        mutating func appendInterpolation(_ value: Int) { text += "\(value)" }
        mutating func appendInterpolation(_ values: [Markup]) { for value in values { text += value.text } }
        /// Appends a coordinate in a plot, rounded to a tenth.
        mutating func appendInterpolation(_ value: Double) {
            let tenths = (value * 10).rounded()
            guard tenths.isFinite, abs(tenths) < 1e9 else { return text += "0" }
            let whole = Int(tenths)
            text += whole % 10 == 0 ? "\(whole / 10)" : "\(Double(whole) / 10)"
        }
    }

    static let empty: Markup = ""

    static func += (left: inout Markup, right: Markup) { left.text += right.text }

    /// Escapes text and attributes in double quotes, for HTML and XML. Characters forbidden by XML 1.0 §2.2 become
    /// U+FFFD.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\t", "\n", "\r": result += " "
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
