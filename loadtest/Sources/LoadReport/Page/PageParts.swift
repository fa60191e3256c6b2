/// Small pieces that several parts of the page use.
enum Pill {
    static func good(_ text: String) -> Markup { "<span class=\"pill good\">✓ \(text)</span>" }
    static func bad(_ text: String) -> Markup { "<span class=\"pill bad\">✗ \(text)</span>" }
}

/// A number to be seen from afar.
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
        // Colour alone says nothing on paper or to who does not see it.
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
    /// How it went, in a word.
    var pill: Markup {
        if isGood { return Pill.good("held") }
        let failed = checks.count { !$0.passed }
        return Pill.bad(
            problems.isEmpty ? Amount.count(failed, "check") + " failed" : Amount.count(problems.count, "problem"))
    }
}

extension Report.Goal {
    /// `at most 25 ms`, and whether it is so.
    func markup(_ unit: String, for value: Double) -> Markup {
        let mark: Markup =
            holds(for: value)
            ? "<span class=\"good\">✓ reached</span>" : "<span class=\"bad\">✗ not reached</span>"
        return "\(Amount.text(self, unit)) \(mark)"
    }
}
