/// All servers and measures of a comparison in one small table, including those where Belfry loses.
extension Report.Comparison {
    var standings: Markup {
        """
        <p>\(standingsInWords)</p>
        <table class="stack standings">
        <thead><tr><th>\(name)</th>\(measures.map { measure -> Markup in
            "<th class=\"n\">\(Glossary.linked(measure.name))<small>\(measure.whatIsGood)</small></th>"
        })</tr></thead>
        <tbody>\(contenders.map(standingsRow))</tbody></table>
        <p class="soft">Belfry’s row has its own values; the others have Belfry’s value divided by theirs. “Better” \
        and “worse” refer to Belfry, and only if all rounds agree; for a single measurement, if the difference \
        exceeds 5 %.</p>

        """
    }

    private func standingsRow(_ contender: Contender) -> Markup {
        """
        <tr class="\(contender.role.rawValue)"><td class="name">\(contender.name)<small>\(contender.about)</small></td>\
        \(measures.indices.map { index -> Markup in
            Stacked.cell(measures[index].name, standing(contender.reading(index), measures[index], contender.role), "n")
        })</tr>

        """
    }

    private func standing(_ reading: Reading?, _ measure: Measure, _ role: Contender.Role) -> Markup {
        guard let reading else { return "not measured" }
        guard let ratio = reading.ratio else {
            return role == .belfry ? "<b>\(Amount.text(reading.value.median, measure.unit))</b>" : "–"
        }
        return "<b>\(Amount.text(ratio.median, "×", deciding: reading.goal))</b> \(measure.standing(ratio).markup)"
    }

    /// A summary of how often Belfry is better or worse, and where it is worse. The floor is not an alternative, so it
    /// is not counted.
    private var standingsInWords: Markup {
        var (all, better) = (0, 0)
        var losses: [String] = []
        for (index, measure) in measures.enumerated() {
            var lost: [String] = []
            for contender in contenders where contender.role == .peer {
                guard let ratio = contender.reading(index)?.ratio else { continue }
                all += 1
                switch measure.standing(ratio) {
                case .better: better += 1
                case .worse: lost.append("\(contender.name) (\(Amount.text(ratio.median, "×")))")
                case .withinSpread, .even: break
                }
            }
            if !lost.isEmpty { losses.append("\(measure.name): \(lost.joined(separator: ", "))") }
        }
        if all == 0 { return "There is no other server to compare with." }
        return """
            Of \(Amount.count(all, "comparison")) with other servers, Belfry is better in \(better). \
            \(losses.isEmpty ? "It is worse in none." : "It is worse in: \(losses.joined(separator: "; ")).") In the \
            rest, the rounds show no clear difference.\(floorInWords)
            """
    }

    private var floorInWords: Markup {
        contenders.contains { $0.role == .floor }
            ? " The \(Glossary.link("floor", "kernel floor")) is not a server but the minimum cost of sending." : .empty
    }
}
