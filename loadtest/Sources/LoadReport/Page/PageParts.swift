/// Small pieces that several parts of the page use.
enum Pill {
    static func good(_ text: String) -> Markup { "<span class=\"pill good\">✓ \(text)</span>" }
    static func bad(_ text: String) -> Markup { "<span class=\"pill bad\">✗ \(text)</span>" }
}

/// A prominent number.
struct Tile {
    var value: String
    var text: String
    var isGood: Bool?

    init(_ value: String, _ text: String, isGood: Bool? = nil) {
        self.value = value
        self.text = text
        self.isGood = isGood
    }

    var markup: Markup {
        // Colour alone is not accessible and is lost in print.
        let mark: Markup =
            switch isGood {
            case nil: .empty
            case true?: " <i class=\"good\">✓</i>"
            case false?: " <i class=\"bad\">✗</i>"
            }
        return "<div class=\"tile\"><b>\(value)</b><span>\(text)\(mark)</span></div>"
    }
}

extension [Markup] {
    func separated(by separator: Markup) -> Markup {
        var all = Markup.empty
        for (index, each) in enumerated() {
            if index > 0 { all += separator }
            all += each
        }
        return all
    }
}

extension Report {
    /// The outcome as a label.
    var pill: Markup {
        if isGood { return Pill.good(checks.isEmpty ? "nothing went wrong" : "all checks passed") }
        let failed = checks.count { !$0.passed }
        return Pill.bad(
            problems.isEmpty ? Amount.count(failed, "check") + " failed" : Amount.count(problems.count, "problem"))
    }
}

extension Report.Verdict {
    /// The verdict as a symbol and in words, because colour alone is not accessible.
    var markup: Markup {
        switch self {
        case .reached: "<span class=\"good\">✓ reached</span>"
        case .missed: "<span class=\"bad\">✗ missed</span>"
        case .withinSpread(let medianReaches):
            """
            <span class="open">± \(Glossary.link("within", "within the spread"))</span>\
            <small>the median \(medianReaches ? "reaches" : "misses") the goal</small>
            """
        }
    }
}

extension Report.Standing {
    var markup: Markup {
        switch self {
        case .better: "<span class=\"good\">✓ better</span>"
        case .worse: "<span class=\"bad\">✗ worse</span>"
        case .withinSpread: "<span class=\"open\">± \(Glossary.link("within", "within the spread"))</span>"
        case .even: "<span class=\"open\">= within 5 %</span>"
        }
    }
}

extension ClosedRange<Double> {
    /// Returns the spread as text: `0.741 to 1.47`.
    func text(deciding goal: Report.Goal? = nil) -> String {
        Amount.text(lowerBound, deciding: goal) + " to " + Amount.text(upperBound, deciding: goal)
    }
}

/// Table cells that are stacked, each with its heading, if the screen is too narrow for columns.
enum Stacked {
    static func cell(_ label: String, _ content: Markup, _ kind: String = "") -> Markup {
        "<td\(kind.isEmpty ? .empty : " class=\"\(kind)\"" as Markup) data-label=\"\(label)\">\(content)</td>"
    }
}
