/// The top of the page: all there is to know for who reads no further.
extension ReportBook {
    var summary: Markup {
        """
        <header>
        <div class="head"><h1>Belfry load test</h1>\(verdict)</div>
        <p class="soft">\(moment) · \(server.map { "server \($0)" } ?? "server of unknown version")</p>
        <div class="tiles">\(tiles)</div>
        <p class="lead">\(what)</p>
        <p>\(checksInWords) \(goalsInWords)</p>
        \(missed)\(reports.flatMap(\.comparisons).compactMap(\.inWords).map { "<p>\($0)</p>\n" as Markup })\
        <p>\(noiseInWords)</p>
        <h3>The scenarios</h3>
        \(table)<h3>To run it again</h3>
        <pre>\(command)</pre>
        </header>

        """
    }

    private var outcomes: [Report.Outcome] { reports.flatMap(\.outcomes) }
    private var checks: [Report.Check] { reports.flatMap(\.checks) }

    private var verdict: Markup {
        if reports.isEmpty { return Pill.bad("nothing was run") }
        return isGood ? Pill.good("everything held") : Pill.bad("something went wrong")
    }

    /// As people write it.
    private var moment: String {
        guard started.hasSuffix("Z"), started.count >= 19 else { return started }
        return started.prefix(10) + ", " + started.dropFirst(11).prefix(5) + " UTC"
    }

    private var tiles: [Markup] {
        let passed = checks.count(where: \.passed)
        let reached = outcomes.count(where: \.isReached)
        return [
            Tile("\(reports.count)", reports.count == 1 ? "scenario" : "scenarios"),
            Tile("\(passed) of \(checks.count)", "checks passed", isGood: passed == checks.count),
            outcomes.isEmpty
                ? Tile("–", "no goals were set")
                : Tile("\(reached) of \(outcomes.count)", "goals reached", isGood: reached == outcomes.count),
            Tile(Amount.text(machine.noise, "×"), "noise of the machine"),
        ].map(\.markup)
    }

    private var what: Markup {
        let memory = Amount.text(Double(machine.memory) / 1_073_741_824, "GiB")
        return """
            \(Amount.count(reports.count, "scenario was", "scenarios were")) run on a machine with \
            \(Amount.count(machine.cores, "core")) (\(machine.processor)), \(memory) of memory and \(machine.kernel).
            """
    }

    private var checksInWords: Markup {
        if isGood, !checks.isEmpty {
            return """
                Everything that had to hold did: \(Amount.count(checks.count, "check")) passed, nothing was lost, \
                doubled or out of order, and the figures count.
                """
        }
        if isGood { return "Nothing went wrong." }
        let bad = reports.enumerated().filter { !$1.isGood }.map { index, report -> Markup in
            "<a href=\"#\(Self.id(index))\">\(report.heading)</a>"
        }
        return """
            Something went wrong in \(bad.separated(by: ", ")): the figures there do not count before that is explained.
            """
    }

    private var goalsInWords: Markup {
        if outcomes.isEmpty { return "No goals were set for the figures." }
        let reached = outcomes.count(where: \.isReached)
        return reached == outcomes.count
            ? "\(reached == 1 ? "The one goal was" : "All \(reached) goals were") reached."
            : "Of \(Amount.count(outcomes.count, "goal")), \(reached) \(reached == 1 ? "was" : "were") reached."
    }

    /// The goals that were not reached, by name.
    private var missed: Markup {
        let missed = reports.enumerated().flatMap { index, report in
            report.outcomes.filter { !$0.isReached }.map { (index, report, $0) }
        }
        if missed.isEmpty { return .empty }
        return """
            <div class="box warn"><b>Not reached</b><ul>\(missed.map { index, report, outcome -> Markup in
                """
                <li><a href="#\(Self.id(index))">\(report.heading)</a>: \(outcome.what) came out at \
                \(Amount.text(outcome.value, outcome.unit)), wanted is \(Amount.text(outcome.goal, outcome.unit))</li>
                """
            })</ul></div>

            """
    }

    private var noiseInWords: Markup {
        let factor = Amount.text(machine.noise)
        let measured: Markup = """
            Before the run the same piece of work took up to \(factor) times as long as at its fastest \
            (<a class="term" href="#g-noise">noise</a>)
            """
        if machine.noise <= 1.1 { return "\(measured): the machine was quiet." }
        if machine.noise <= 1.5 {
            return "\(measured): the machine was a little restless, so small differences between figures mean nothing."
        }
        return """
            \(measured): the machine was noisy, others used it too. Believe ratios from alternation, and no single \
            figure that differs from another by less than that.
            """
    }

    private var table: Markup {
        """
        <div class="scroll"><table>
        <tr><th>scenario</th><th>main figure</th><th class="n">\(Glossary.link("p99"))</th><th class="n">checks</th>\
        <th class="n">goals</th><th></th></tr>
        \(reports.enumerated().map { row($0, $1) })</table></div>

        """
    }

    private func row(_ index: Int, _ report: Report) -> Markup {
        let outcomes = report.outcomes
        return """
            <tr><td class="name"><a href="#\(Self.id(index))">\(report.heading)</a></td>\
            <td>\(report.mainFigure ?? "–")</td>\
            <td class="n">\(report.p99 ?? "–")</td>\
            <td class="n">\(Report.share(report.checks.count(where: \.passed), of: report.checks.count))</td>\
            <td class="n">\(Report.share(outcomes.count(where: \.isReached), of: outcomes.count))</td><td class="n">\(report.pill)</td></tr>

            """
    }
}
