import Foundation
import Testing

@testable import LoadReport

@Suite struct PageComparisonTests {
    private func page(_ command: String = "loadtest/run quick") throws -> ParsedPage {
        var book = Samples.book([Samples.compared])
        book.command = command
        book.server = "belfry 0.1.0 (94d8af0487a6)"
        return try ParsedPage(book.html())
    }

    @Test func `the page introduces Belfry and names the servers it is compared with`() throws {
        let plain = try page().plain
        #expect(plain.contains("Belfry is a server for real-time chat"))
        let whom = try #require(plain.range(of: "nginx 1.22.1 with libnginx-mod-nchan 1.3.6"))
        let figure = try #require(plain.range(of: "How to read the figures."))
        #expect(whom.lowerBound < figure.lowerBound)
    }

    @Test func `losses are stated, and the floor does not count as a server to lose to`() throws {
        let plain = try page().plain
        #expect(plain.contains("Of 9 comparisons with other servers, Belfry is better in 7."))
        #expect(plain.contains("It is worse in: memory for a connection: uWebSockets (13.3 ×)."))
        #expect(plain.contains("1.02 × = within 5 %"))
    }

    @Test func `the best server comes first, and unmeasured ones last`() throws {
        let source = try page().source
        let tables = source.components(separatedBy: "<table class=\"bars stack\">").dropFirst()
            .map { $0.components(separatedBy: "</table>")[0] }
        func order(_ table: String) -> [String] {
            table.components(separatedBy: "<td class=\"name\">").dropFirst().map { $0.components(separatedBy: "<")[0] }
        }
        #expect(tables.map(order).map(\.first) == ["kernel floor", "Belfry", "uWebSockets"])
        #expect(tables.map(order).map(\.last) == ["SwiftNIO", "kernel floor", "kernel floor"])
    }

    /// The ratio is the median of the rounds' quotients, which can differ from the quotient of the medians.
    @Test func `a goal's mark is beyond Belfry's line if the ratio reaches it, whatever the medians`() throws {
        var comparison = try #require(Samples.compared.comparisons.first)
        let peer = try #require(comparison.contenders.firstIndex { $0.readings[0]?.goal != nil })
        let ours = try #require(comparison.contenders.first { $0.role == .belfry }?.readings[0]?.value.median)
        for (ratio, value) in [(1.01, ours * 1.05), (0.99, ours * 0.95)] {
            comparison.contenders[peer].readings[0]?.goal = .atMost(1)
            comparison.contenders[peer].readings[0]?.value = .init(median: value, least: value, greatest: value)
            comparison.contenders[peer].readings[0]?.ratio = .init(median: ratio, least: ratio, greatest: ratio)
            let row = BarRows(comparison, 0).row(comparison.contenders[peer], hasGoal: true).text
            let line = try #require(row.firstMatch(of: /class="ours" x1="([0-9.]+)%"/).flatMap { Double($0.1) })
            let mark = try #require(row.firstMatch(of: /class="mark" x="([0-9.]+)%"/).flatMap { Double($0.1) })
            #expect((mark >= line) == (ratio <= 1))
        }
    }

    @Test func `a picture has a text description`() throws {
        let labels = try page().attributes.filter { $0.name == "aria-label" }.map {
            $0.value.replacing("\u{A0}", with: " ")
        }
        #expect(labels.contains("nchan: CPU per delivery 7.20 µs, rounds from 7.10 to 9.40; Belfry / nchan 0.634"))
        #expect(labels.contains("nchan: memory for a connection 10.4 KiB; Belfry / nchan 0.795"))
        for label in labels { #expect(label.contains { $0.isLetter }, "\(label)") }
    }

    @Test func `values of very different size use a logarithmic axis`() throws {
        let plain = try page().plain
        #expect(plain.contains("deliveries, /s More is better. The scale is logarithmic"))
        #expect(plain.contains("CPU per delivery, µs Less is better. server"))
        #expect(Scale.beside([1, 8]).kind == .linear)
        let scale = Scale.beside([0.314, 17.3])
        #expect(scale.kind == .logarithmic)
        #expect(scale.ticks.map(\.label) == ["0.2", "0.5", "1", "2", "5", "10", "20"])
        #expect(scale.place(0.2) == 0 && scale.place(20) == 1)
        #expect(Scale.beside([1e-9, 1e9]).ticks.count <= 10)
        #expect(
            Scale.beside([50_000, 2_000_000]).ticks.map(\.label)
                == ["50 k", "100 k", "200 k", "500 k", "1 M", "2 M"].map { $0.replacing(" ", with: "\u{A0}") })
    }

    @Test func `an outlying round is reported with the noise before it`() throws {
        #expect(try page().plain.contains("uWebSockets, round 3: 9 µs, machine's noise before it 1.81 ×."))
        #expect(try page().plain.contains("was 1.34 before the run, at most 1.81 between the rounds"))
    }

    @Test func `a term is explained only if it is used`() throws {
        let compared = try page()
        let words = Set(compared.attributes.filter { $0.name == "id" && $0.value.hasPrefix("g-") }.map(\.value))
        #expect(words.isSuperset(of: ["g-ratio", "g-within", "g-floor", "g-noise", "g-goal"]))
        #expect(words.isDisjoint(with: ["g-open", "g-closed", "g-intended", "g-warmup", "g-percentile"]))
        let fanout = try ParsedPage(Samples.book([Samples.fanout]).html())
        #expect(fanout.attributes.contains { $0.value == "g-open" })
        #expect(!fanout.attributes.contains { $0.value == "g-ratio" })
    }

    @Test func `a term's first occurrence links to its meaning, as a whole word only`() {
        let text = Glossary.linked("Median <medians> the median, CPU per delivery").text
        #expect(
            text == "<a class=\"term\" href=\"#g-median\">Median</a> &lt;medians&gt; the median, "
                + "<a class=\"term\" href=\"#g-cpu\">CPU per delivery</a>")
    }

    @Test func `a long command breaks only before options, and can be copied`() throws {
        let command = "loadtest/compare --install --rounds 20 --html '/a b --c/compare.html' --json /tmp/compare.json"
        let page = try page(command)
        #expect(
            page.source.contains(
                "loadtest/compare \\\n    --install \\\n    --rounds 20 \\\n    --html &#39;/a b --c/compare.html&#39; \\\n    --json /tmp/compare.json</pre>"
            ))
        #expect(page.plain.contains("Run this in the project’s folder, at commit 94d8af0487a6"))
    }
}
