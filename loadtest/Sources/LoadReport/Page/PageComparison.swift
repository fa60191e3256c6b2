/// A comparison of several servers: for each measure a table with bars.
extension Report.Comparison {
    var markup: Markup {
        let hasGoal = contenders.contains { $0.readings.contains { $0?.goal != nil } }
        return """
            <h4>\(name)</h4>
            <p>\(Glossary.linked(method)) \(Amount.count(rounds, "round")) of each server, in \
            \(Glossary.link("alternation")).</p>
            \(participants)\(howToRead(hasGoal: hasGoal))\(measures.indices.map { table($0, hasGoal: hasGoal) })
            """
    }

    /// The compared servers.
    private var participants: Markup {
        let hasThreads = contenders.contains { $0.threads != nil }
        return """
            <table class="stack">
            <thead><tr><th>server</th><th>description</th>\
            \(hasThreads ? "<th class=\"n\">threads</th>" : .empty as Markup)</tr></thead>
            <tbody>\(contenders.map { contender -> Markup in
                """
                <tr class="\(contender.role.rawValue)"><td class="name">\(contender.name)</td>\
                <td>\(Glossary.linked(contender.about))</td>\
                \(hasThreads ? Stacked.cell("threads", "\(contender.threads.map(Amount.whole) ?? "–")", "n") : .empty)</tr>

                """
            })</tbody></table>

            """
    }

    /// Returns the explanation of the figures, shown once.
    private func howToRead(hasGoal: Bool) -> Markup {
        let hasRounds = contenders.contains { $0.readings.contains { $0?.rounds != nil } }
        let goal: Markup =
            hasGoal
            ? """
             A diamond marks where that line would have to be to just reach the goal.
            """ : .empty
        return """
            <p><b>How to read the figures.</b> The best server comes first. A bar (on a logarithmic scale, a dot) \
            ends at the \(Glossary.link("median")) of the \(Glossary.link("round", "rounds")); the thin line extends \
            from the lowest round to the highest\(hasRounds ? ", and each small dot is a round" : ""). The dashed line \
            is Belfry’s median.\(goal) “Belfry / this server” is the \(Glossary.link("ratio")), calculated per round. \
            Goals apply to this ratio, not to the values: two medians may come from rounds in which the machine was \
            not equally fast, so their quotient can differ slightly from it.</p>

            """
    }

    private func table(_ index: Int, hasGoal: Bool) -> Markup {
        let measure = measures[index]
        let unit = measure.unit.isEmpty ? "" : ", \(measure.unit)"
        let rows = BarRows(self, index)
        let scale: Markup = rows.isLogarithmic ? " The scale is logarithmic: equal steps are equal factors." : .empty
        return """
            <figure>
            <figcaption><b>\(Glossary.linked(measure.name))\(unit)</b> \(measure.better == .less ? "Less is better." : "More is better.")\
            \(scale)</figcaption>
            <table class="bars stack">
            <colgroup><col class="c-name"/><col/><col class="c-m"/><col class="c-n"/>\
            \(hasGoal ? "<col class=\"c-goal\"/>" : .empty as Markup)</colgroup>
            <thead><tr><th>server</th><th>\(unit.isEmpty ? measure.name : measure.unit)</th><th class="n">\(rows.kind)</th>\
            <th class="n">Belfry / this server<small>\(measure.whatIsGood)</small></th>\
            \(hasGoal ? "<th>\(Glossary.link("goal"))</th>" : .empty as Markup)</tr></thead>
            <tbody>\(rows.axis(hasGoal: hasGoal))\(sorted(index).map { rows.row($0, hasGoal: hasGoal) })</tbody></table>
            \(notes(index).map { "<p class=\"soft\">\(Glossary.linked($0))</p>\n" as Markup })</figure>

            """
    }

    private func notes(_ index: Int) -> [String] {
        let goals = contenders.contains { $0.reading(index)?.goal != nil }
        let none = contenders.contains { $0.readings.contains { $0?.goal != nil } } && !goals
        return [measures[index].note].compactMap { $0 } + outliersInWords(index)
            + (none ? ["No goal is set for this measure."] : [])
    }

    /// Sorts the best contender first and unmeasured ones last.
    private func sorted(_ index: Int) -> [Contender] {
        let isLess = measures[index].better == .less
        let all = contenders.enumerated().map { offset, contender in
            let value = contender.reading(index)?.value.median
            return (offset, contender, value.flatMap { $0.isNaN ? nil : isLess ? $0 : -$0 } ?? .infinity)
        }
        return all.sorted { ($0.2, $0.0) < ($1.2, $1.0) }.map(\.1)
    }
}

extension Report.Comparison.Measure {
    /// The meaning of a ratio.
    var whatIsGood: String {
        better == .less ? "below 1: Belfry needs less" : "above 1: Belfry does more"
    }
}

extension Report.Comparison.Contender {
    func reading(_ index: Int) -> Report.Comparison.Reading? { index < readings.count ? readings[index] : nil }
}
