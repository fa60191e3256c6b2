/// One scenario's part of the page.
extension Report {
    func section(id: String) -> Markup {
        """
        <section id="\(id)">
        <div class="head"><h2>\(heading)</h2>\(pill)</div>
        <p class="lead">\(question)</p>
        \(problemBox)\(tiles)\
        <h3>How it was done</h3>
        <p>\(method)</p>
        \(settingsTable)\(figuresTable)\(comparisons.map(\.markup))\(distributionsTable)\(percentilePlots)\
        \(seriesPlots.isEmpty ? .empty : "<h3>Over the run</h3>\n" as Markup)\(seriesPlots)\(checksTable)\(remarksBox)\
        </section>

        """
    }

    /// The three most telling figures.
    private var tiles: Markup {
        guard figures.count > 1 else { return .empty }
        return """
            <div class="tiles">\(figures.prefix(3).map { figure in
                Tile(Amount.text(figure.value, figure.unit), figure.name, isGood: figure.isReached).markup
            })</div>

            """
    }

    private var problemBox: Markup {
        if problems.isEmpty { return .empty }
        return """
            <div class="box bad"><b>What went wrong</b><ul>\(problems.map { "<li>\($0)</li>" as Markup })</ul></div>

            """
    }

    private var remarksBox: Markup {
        if remarks.isEmpty { return .empty }
        return """
            <div class="box warn"><b>What makes the figures less than they seem</b>\
            <ul>\(remarks.map { "<li>\($0)</li>" as Markup })</ul></div>

            """
    }

    private var settingsTable: Markup {
        if settings.isEmpty { return .empty }
        return """
            <h3>Settings</h3>
            <div class="scroll"><table>
            <tr><th>setting</th><th class="n">value</th><th>what it means</th></tr>
            \(settings.map { setting -> Markup in
                """
                <tr><td class="name"><code>\(setting.name)</code></td><td class="n">\(setting.value)</td>\
                <td>\(setting.meaning)</td></tr>

                """
            })</table></div>

            """
    }

    private var figuresTable: Markup {
        if figures.isEmpty { return .empty }
        let hasSpread = figures.contains { $0.spread != nil }
        let hasGoal = figures.contains { $0.goal != nil }
        return """
            <h3>What came out</h3>
            <div class="scroll"><table\(hasSpread || hasGoal ? .empty : " class=\"fit\"" as Markup)>
            <tr><th>figure</th><th class="n">value</th>\
            \(hasSpread ? "<th class=\"n\">\(Glossary.link("spread"))</th>" : .empty as Markup)\
            \(hasGoal ? "<th>\(Glossary.link("goal"))</th>" : .empty as Markup)</tr>
            \(figures.map { figure -> Markup in
                """
                <tr><td class="name">\(figure.name)</td>\
                <td class="n"><b>\(Amount.text(figure.value, figure.unit))</b></td>\
                \(hasSpread ? "<td class=\"n\">\(figure.rangeInWords)</td>" : .empty as Markup)\
                \(hasGoal ? "<td>\(figure.goalMarkup)</td>" : .empty as Markup)</tr>

                """
            })</table></div>

            """
    }

    private var distributionsTable: Markup {
        if distributions.isEmpty { return .empty }
        return """
            <h3>Latency and other spreads</h3>
            <div class="scroll"><table>
            <tr><th>what</th><th class="n">values</th>\(Self.percentiles.map { percentile -> Markup in
                "<th class=\"n\">\(Glossary.link("percentile", Amount.percentile(percentile)))</th>"
            })</tr>
            \(distributions.map { each -> Markup in
                """
                <tr><td class="name">\(each.name)\(each.unit.isEmpty ? "" : ", \(each.unit)")</td>\
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
            <h3>What had to hold</h3>
            <div class="scroll"><table>
            <tr><th>\(Glossary.link("check"))</th><th>found</th><th class="n"></th></tr>
            \(checks.map { check -> Markup in
                """
                <tr><td class="name">\(check.what)</td><td>\(check.found)</td>\
                <td class="n">\(check.passed ? Pill.good("passed") : Pill.bad("failed"))</td></tr>

                """
            })</table></div>

            """
    }
}

extension Report.Figure {
    fileprivate var rangeInWords: String {
        spread.map { "\(Amount.text($0.lowerBound)) to \(Amount.text($0.upperBound))" } ?? "–"
    }

    fileprivate var goalMarkup: Markup { goal?.markup(unit, for: value) ?? .empty }
}
