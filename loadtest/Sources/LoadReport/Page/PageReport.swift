/// One scenario's part of the page.
extension Report {
    func section(id: String) -> Markup {
        """
        <section id="\(id)">
        <div class="head"><h2>\(heading)</h2>\(pill)</div>
        <p class="lead">\(Glossary.linked(question))</p>
        \(problemBox)\(tiles)\(remarksBox)\
        <h3>Method</h3>
        \(method.split(separator: "\n").map { "<p>\(Glossary.linked(String($0)))</p>\n" as Markup })\
        \(settingsTable)\(figuresTable)\(comparisons.map(\.markup))\(distributionsTable)\(percentilePlots)\
        \(seriesPlots.isEmpty ? .empty : "<h3>During the run</h3>\n" as Markup)\(seriesPlots)\(checksTable)\
        </section>

        """
    }

    /// The three most telling figures.
    private var tiles: Markup {
        guard figures.count > 1 else { return .empty }
        return """
            <div class="tiles three">\(figures.prefix(3).map { figure in
                Tile(
                    Amount.text(figure.value, figure.unit, deciding: figure.goal), figure.name,
                    isGood: figure.isReached
                ).markup
            })</div>

            """
    }

    private var problemBox: Markup {
        if problems.isEmpty { return .empty }
        return """
            <div class="box bad"><b>Problems</b><ul>\(problems.map { "<li>\($0)</li>" as Markup })</ul></div>

            """
    }

    private var remarksBox: Markup {
        if remarks.isEmpty { return .empty }
        return """
            <div class="box warn"><b>Before you trust the figures</b>\
            <ul>\(remarks.map { "<li>\($0)</li>" as Markup })</ul></div>

            """
    }

    private var settingsTable: Markup {
        if settings.isEmpty { return .empty }
        return """
            <h3>Settings</h3>
            <table class="stack pairs">
            <thead><tr><th>setting</th><th class="n">value</th><th>meaning</th></tr></thead>
            <tbody>\(settings.map { setting -> Markup in
                """
                <tr><td class="name"><code>\(setting.name)</code></td><td class="n">\(setting.value)</td>\
                <td>\(Glossary.linked(setting.meaning))</td></tr>

                """
            })</tbody></table>

            """
    }

    private var figuresTable: Markup {
        if figures.isEmpty { return comparisons.isEmpty ? .empty : "<h3>Results</h3>\n" }
        let hasSpread = figures.contains { $0.spread != nil }
        let hasGoal = figures.contains { $0.goal != nil }
        return """
            <h3>Results</h3>
            <table class="stack pairs\(hasSpread || hasGoal ? "" : " fit")">
            <thead><tr><th>figure</th><th class="n">value</th>\
            \(hasSpread ? "<th class=\"n\">\(Glossary.link("spread"))</th>" : .empty as Markup)\
            \(hasGoal ? "<th>\(Glossary.link("goal"))</th>" : .empty as Markup)</tr></thead>
            <tbody>\(figures.map { figure -> Markup in
                """
                <tr><td class="name">\(Glossary.linked(figure.name))</td>\
                <td class="n"><b>\(Amount.text(figure.value, figure.unit, deciding: figure.goal))</b></td>\
                \(hasSpread ? Stacked.cell("spread", "\(figure.rangeInWords)", figure.spread == nil ? "n none" : "n") : .empty)\
                \(hasGoal ? Stacked.cell("goal", figure.goalMarkup, figure.goal == nil ? "none" : "") : .empty)</tr>

                """
            })</tbody></table>

            """
    }

    private var distributionsTable: Markup {
        if distributions.isEmpty { return .empty }
        return """
            <h3>Distributions</h3>
            <div class="scroll" tabindex="0" role="region" aria-label="percentiles"><table>
            <tr><th>distribution</th><th class="n">values</th>\(Self.percentiles.map { percentile -> Markup in
                "<th class=\"n\">\(Glossary.link("percentile", Amount.percentile(percentile)))</th>"
            })</tr>
            \(distributions.map { each -> Markup in
                """
                <tr><td class="name">\(Glossary.linked(each.name))\(each.unit.isEmpty ? "" : ", \(each.unit)")</td>\
                <td class="n">\(Amount.whole(each.count))</td>\(Self.percentiles.map { percentile -> Markup in
                    "<td class=\"n\">\(each.value(at: percentile).map { Amount.text($0) } ?? "–")</td>"
                })</tr>

                """
            })</table></div>

            """
    }

    private var checksTable: Markup {
        if checks.isEmpty { return .empty }
        return """
            <h3>\(Glossary.link("check", "Checks"))</h3>
            <table class="stack">
            <thead><tr><th>check</th><th>finding</th><th class="n">outcome</th></tr></thead>
            <tbody>\(checks.map { check -> Markup in
                """
                <tr><td class="name">\(check.what)</td><td>\(check.found)</td>\
                <td class="n">\(check.passed ? Pill.good("passed") : Pill.bad("failed"))</td></tr>

                """
            })</tbody></table>

            """
    }
}

extension Report.Figure {
    fileprivate var rangeInWords: String { spread.map { $0.text(deciding: goal) } ?? "–" }

    fileprivate var goalMarkup: Markup {
        guard let goal, let verdict else { return "–" }
        return "\(Amount.text(goal, unit)) \(verdict.markup)"
    }
}
