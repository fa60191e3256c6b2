/// The goals and their outcomes, for the top of the page.
extension ReportBook {
    var outcomes: [Report.Outcome] { reports.flatMap(\.outcomes) }

    var goalsInWords: Markup {
        let link = Glossary.link("goal", "Goals")
        if outcomes.isEmpty {
            return "\(link) are performance targets: none are set for runs of this size."
        }
        let score = Report.Score(outcomes)
        let ask: Markup = "\(link) are performance targets: "
        if score.reached == outcomes.count {
            return "\(ask)\(outcomes.count == 1 ? "the only goal was" : "all \(outcomes.count) goals were") reached."
        }
        let open: Markup =
            score.withinSpread == 0
            ? .empty
            : ", \(score.withinSpread) \(score.withinSpread == 1 ? "is" : "are") \(Glossary.link("within", "within the spread"))"
        return """
            \(ask)of \(Amount.count(outcomes.count, "goal")), \(score.reached) \(score.reached == 1 ? "was" : "were") \
            reached\(open), \(score.missed) \(score.missed == 1 ? "was" : "were") missed.
            """
    }

    var goals: Markup {
        if outcomes.isEmpty { return .empty }
        let many = reports.count > 1
        let rows = reports.enumerated().flatMap { index, report in report.outcomes.map { (index, report, $0) } }
        return """
            <h3>The goals</h3>
            <table class="stack">
            <thead><tr>\(many ? "<th>scenario</th>" : .empty as Markup)<th>figure</th><th class="n">result</th>\
            <th class="n">goal</th><th>outcome</th></tr></thead>
            <tbody>\(rows.map { index, report, outcome -> Markup in
                """
                <tr>\(many ? "<td class=\"name\"><a href=\"#\(Self.id(index))\">\(report.heading)</a></td>" : .empty as Markup)\
                <td\(many ? .empty : " class=\"name\"" as Markup)>\(Glossary.linked(outcome.what))</td>\
                \(Stacked.cell("result", outcome.markup, "n"))\
                \(Stacked.cell("goal", "\(Amount.text(outcome.goal, outcome.unit))", "n"))\
                \(Stacked.cell("outcome", "\(outcome.verdict.markup)\(report.noiseBeside)"))</tr>

                """
            })</tbody></table>
            \(aboutGoals.map { "<p class=\"soft\">\(Glossary.linked($0))</p>\n" as Markup })
            """
    }

    private var aboutGoals: [String] {
        let own = reports.compactMap(\.aboutGoals)
        return own.isEmpty
            ? [
                "The goals are the project’s own targets, set before any measurement, for a machine with two cores, "
                    + "shared with the tester."
            ]
            : own
    }
}

extension Report {
    /// A note next to the verdict if the machine was noisy.
    fileprivate var noiseBeside: Markup {
        guard let noise, noise > 1.5 else { return .empty }
        return " <small>noise was \(Amount.text(noise, "×"))</small>"
    }
}

extension Report.Outcome {
    /// The median with the lowest and the highest round.
    fileprivate var markup: Markup {
        let range: Markup = spread.map { "<small>\($0.text(deciding: goal))</small>" } ?? .empty
        return "<b>\(Amount.text(value, unit, deciding: goal))</b>\(range)"
    }
}
