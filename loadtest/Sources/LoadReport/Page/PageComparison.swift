/// Several servers beside each other: for each measure a table whose bars are the picture.
extension Report.Comparison {
    var markup: Markup {
        """
        <h3>\(name)</h3>
        <p>\(method) \(Amount.count(rounds, "round")) of each, in \(Glossary.link("alternation")).</p>
        \(measures.indices.map(table))\(participants)
        """
    }

    /// What the ratios to the peers say, in a sentence; nil when there are none.
    var inWords: Markup? {
        for (index, measure) in measures.enumerated() {
            let ratios = contenders.compactMap { contender -> Markup? in
                guard let ratio = contender.reading(index)?.ratio else { return nil }
                return "<b>\(Amount.text(ratio.median, "×"))</b> that of \(contender.name)"
            }
            if !ratios.isEmpty {
                return "Beside others, \(name): Belfry’s \(measure.name) is \(ratios.separated(by: ", "))."
            }
        }
        return nil
    }

    private func table(_ index: Int) -> Markup {
        let measure = measures[index]
        let greatest = contenders.compactMap { $0.reading(index)?.value.greatest }.filter(Plot.canShow).max() ?? 0
        let hasGoal = contenders.contains { $0.reading(index)?.goal != nil }
        let unit = measure.unit.isEmpty ? "" : ", \(measure.unit)"
        return """
            <figure>
            <figcaption><b>\(measure.name)\(unit)</b> \
            \(measure.better == .less ? "Shorter is better." : "Longer is better.") The bar ends at the \
            \(Glossary.link("median")) of the rounds; the thin line reaches from the least to the greatest.</figcaption>
            <div class="scroll"><table class="bars">
            <tr><th>server</th><th></th><th class="n">median</th><th class="n">\(Glossary.link("ratio", "Belfry by this"))\
            </th>\(hasGoal ? "<th>\(Glossary.link("goal"))</th>" : .empty as Markup)</tr>
            \(contenders.map { $0.row(index, upTo: greatest, hasGoal: hasGoal) })</table></div>
            </figure>

            """
    }

    private var participants: Markup {
        """
        <div class="scroll"><table>
        <tr><th>server</th><th>what it is</th></tr>
        \(contenders.map { contender -> Markup in
            "<tr><td class=\"name\">\(contender.name)</td><td>\(contender.about)</td></tr>\n"
        })</table></div>

        """
    }
}

extension Report.Comparison.Contender {
    func reading(_ index: Int) -> Report.Comparison.Reading? { index < readings.count ? readings[index] : nil }

    fileprivate func row(_ index: Int, upTo greatest: Double, hasGoal: Bool) -> Markup {
        let reading = reading(index)
        let goal: Markup =
            if let goal = reading?.goal, let ratio = reading?.ratio { goal.markup("×", for: ratio.median) } else { "" }
        return """
            <tr class="\(role.rawValue)"><td class="name">\(name)</td>\
            <td class="bar">\(reading.map { Self.bar($0.value, upTo: greatest) } ?? .empty)</td>\
            <td class="n">\(reading.map { Self.cell($0.value, "") } ?? "not measured")</td>\
            <td class="n">\(reading?.ratio.map { Self.cell($0, "×") } ?? "–")</td>\
            \(hasGoal ? "<td>\(goal)</td>" : .empty as Markup)</tr>

            """
    }

    private static func cell(_ spread: Report.Comparison.Spread, _ unit: String) -> Markup {
        """
        <b>\(Amount.text(spread.median, unit))</b><small>\(Amount.text(spread.least)) to \
        \(Amount.text(spread.greatest))</small>
        """
    }

    /// In percent of the cell, so that it fits any width.
    private static func bar(_ spread: Report.Comparison.Spread, upTo greatest: Double) -> Markup {
        func percent(_ value: Double) -> Double { greatest > 0 ? min(100, max(0, value / greatest * 100)) : 0 }
        let (least, median, most) = (percent(spread.least), percent(spread.median), percent(spread.greatest))
        return """
            <svg width="100%" height="26" role="img" aria-label="\(Amount.text(spread.median))">\
            <rect x="0" y="4" width="\(median)%" height="18" rx="2"/>\
            <line x1="\(least)%" y1="13" x2="\(most)%" y2="13"/>\
            <line x1="\(least)%" y1="8" x2="\(least)%" y2="18"/><line x1="\(most)%" y1="8" x2="\(most)%" y2="18"/></svg>
            """
    }
}
