/// The top of the page: the summary for readers who read no further.
extension ReportBook {
    var summary: Markup {
        """
        <header>
        <div class="head"><h1>Belfry load test</h1>\(verdict)</div>
        <p class="soft">\(circumstances.separated(by: " · "))</p>
        <p class="lead">Belfry is a server for real-time chat: each client has one WebSocket connection, and a message \
        to a room is delivered to everyone in it immediately. This page shows \(asked).</p>
        <div class="tiles">\(tiles)</div>
        <p>\(what) \(noiseInWords)</p>
        <p>\(checksInWords) \(goalsInWords)</p>
        \(reports.flatMap(\.comparisons).map { "<h3>Other servers</h3>\n\($0.standings)" as Markup })\(goals)\
        \(reports.count > 1 ? table : .empty)\(recipe)
        </header>

        """
    }

    private var checks: [Report.Check] { reports.flatMap(\.checks) }

    private var verdict: Markup {
        if reports.isEmpty { return Pill.bad("no scenario was run") }
        return isGood
            ? Pill.good(checks.isEmpty ? "nothing went wrong" : "all checks passed") : Pill.bad("something went wrong")
    }

    private var circumstances: [Markup] {
        var all: [Markup] = ["\(moment)", "\(server.map { "server \($0)" } ?? "server of unknown version")"]
        if let seconds { all.append("took \(Amount.duration(seconds))") }
        if isDebugBuild == true { all.append("<b>measured with a debug build: the figures are meaningless</b>") }
        return all
    }

    /// The start of the run in readable form.
    private var moment: String {
        guard started.hasSuffix("Z"), started.count >= 19 else { return started }
        return started.prefix(10) + ", " + started.dropFirst(11).prefix(5) + " UTC"
    }

    private var asked: Markup {
        reports.contains { !$0.comparisons.isEmpty }
            ? "what that costs, compared with other servers under the same load" : "how it performed under load"
    }

    private var tiles: [Markup] {
        let passed = checks.count(where: \.passed)
        let score = Report.Score(outcomes)
        return [
            Tile("\(passed) of \(checks.count)", "checks passed", isGood: passed == checks.count),
            outcomes.isEmpty
                ? Tile("–", "no goals were set")
                : Tile(
                    "\(score.reached) of \(outcomes.count)", "goals reached" + score.rest,
                    isGood: score.reached == outcomes.count ? true : nil),
            Tile("\(reports.count)", reports.count == 1 ? "scenario" : "scenarios"),
            Tile(Amount.text(greatestNoise, "×"), "highest noise of the machine"),
        ].map(\.markup)
    }

    private var what: Markup {
        let memory = Amount.text(Double(machine.memory) / 1_073_741_824, "GiB")
        return """
            \(Amount.count(reports.count, "scenario was", "scenarios were")) run on \
            \(machine.isVirtual == true ? "a virtual machine" : "a machine") with \
            \(Amount.count(machine.cores, "core")) (\(machine.processor)), \(memory) of memory and \(machine.kernel). \
            The tester runs on the same \
            cores.\(machine.fileSystem.map { " The server’s journal is on \($0)." as Markup } ?? .empty)
            """
    }

    private var checksInWords: Markup {
        let link = Glossary.link("check", "Checks")
        if isGood, !checks.isEmpty {
            return """
                \(link) test correctness: \
                \(checks.count == 1 ? "the only check" : "all \(checks.count) checks") passed; nothing was lost, \
                duplicated or out of order.\(warned)
                """
        }
        if isGood { return "Nothing went wrong." }
        let bad = reports.enumerated().filter { !$1.isGood }.map { index, report -> Markup in
            "<a href=\"#\(Self.id(index))\">\(report.heading)</a>"
        }
        return """
            \(link) test correctness. Something went wrong in \(bad.separated(by: ", ")): ignore the figures there \
            until the cause is known.
            """
    }

    /// A note about scenarios with remarks.
    private var warned: Markup {
        let count = reports.count { !$0.remarks.isEmpty }
        if count == 0 { return .empty }
        return
            " Read the notes before you trust the figures of \(count == 1 ? "one scenario" : "\(count) scenarios")."
    }

    /// The greatest noise of all readings.
    private var greatestNoise: Double {
        let rounds = reports.flatMap(\.comparisons).flatMap { $0.noise ?? [] } + reports.compactMap(\.noise)
        return ([machine.noise, machine.noiseAfter ?? 1] + rounds).max() ?? machine.noise
    }

    private var noiseInWords: Markup {
        let rounds = reports.flatMap(\.comparisons).flatMap { $0.noise ?? [] }
        var parts: [Markup] = ["\(Amount.text(machine.noise)) before the run"]
        if let greatest = rounds.max() { parts.append("at most \(Amount.text(greatest)) between the rounds") }
        if let after = machine.noiseAfter { parts.append("\(Amount.text(after)) after it") }
        let measured: Markup = "Its \(Glossary.link("noise")) (1 is a quiet machine) was \(parts.separated(by: ", "))"
        if greatestNoise <= 1.1 { return "\(measured): the machine was quiet." }
        if greatestNoise <= 1.5 {
            return "\(measured): the machine was slightly noisy, so ignore small differences between figures."
        }
        return """
            \(measured): the machine was noisy, as it was shared. \(reports.contains { !$0.comparisons.isEmpty }
                ? "Ratios within a round are hardly affected, but single figures are."
                : "Noise makes results worse, hardly ever better: run the noisy scenarios again.")
            """
    }

    private var table: Markup {
        let hasP99 = reports.contains { $0.p99 != nil }
        let hasNoise = reports.contains { $0.noise != nil }
        return """
            <h3>The scenarios</h3>
            <table class="stack">
            <thead><tr><th>scenario</th><th>main figure</th>\
            \(hasP99 ? "<th class=\"n\">\(Glossary.link("percentile", "p99"))</th>" : .empty as Markup)\
            \(hasNoise ? "<th class=\"n\">\(Glossary.link("noise"))</th>" : .empty as Markup)\
            <th class="n">checks passed</th><th class="n">goals reached</th></tr></thead>
            <tbody>\(reports.enumerated().map { row($0, $1, hasP99: hasP99, hasNoise: hasNoise) })</tbody></table>

            """
    }

    private func row(_ index: Int, _ report: Report, hasP99: Bool, hasNoise: Bool) -> Markup {
        let passed = Report.share(report.checks.count(where: \.passed), of: report.checks.count)
        return """
            <tr><td class="name"><a href="#\(Self.id(index))">\(report.heading)</a></td>\
            <td>\(report.mainFigure ?? "–")</td>\
            \(hasP99 ? Stacked.cell("p99", "\(report.p99 ?? "–")", "n") : .empty)\
            \(hasNoise ? Stacked.cell("noise", "\(report.noise.map { Amount.text($0, "×") } ?? "–")", "n") : .empty)\
            \(Stacked.cell("checks passed", report.isGood ? "\(passed)" : "\(passed) \(report.pill)", "n"))\
            \(Stacked.cell("goals reached", "\(Report.Score(report.outcomes).short)", "n"))</tr>

            """
    }
}
