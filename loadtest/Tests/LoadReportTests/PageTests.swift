import Foundation
import FoundationXML
import Testing

@testable import LoadReport

@Suite struct PageTests {
    private let all = [Samples.fanout, Samples.idle, Samples.broken, Samples.compared]

    @Test func `everything in a report is on the page`() throws {
        let page = try ParsedPage(Samples.book(all).html())
        for report in all {
            let strings = [report.scenario, report.question, report.method] + report.remarks + report.problems
            // Words that link to their explanation are inside links.
            for text in strings { #expect(page.plain.contains(text) || page.text.contains(text), "\(text)") }
            for each in report.settings {
                for text in [each.name, each.value, each.meaning] { #expect(page.text.contains(text), "\(text)") }
            }
            for each in report.figures {
                #expect(page.text.contains(each.name))
                #expect(page.text.contains(Amount.text(each.value, each.unit)))
            }
            for each in report.checks {
                #expect(page.text.contains(each.what))
                #expect(page.text.contains(each.found))
            }
            for each in report.distributions {
                #expect(page.text.contains(each.name))
                for point in each.points { #expect(page.text.contains(Amount.text(point.value))) }
            }
            for each in report.series { #expect(page.text.contains(each.name)) }
            for each in report.comparisons {
                #expect(page.text.contains(each.name))
                for each in each.contenders {
                    #expect(page.text.contains(each.name))
                    #expect(page.text.contains(each.about))
                }
            }
        }
        for text in ["AMD EPYC 7B13", "2 cores", "8 GiB", "Linux 6.1.0-18-amd64", "loadtest/run quick", "server 0.9.0"]
        {
            #expect(page.plain.contains(text), "\(text)")
        }
    }

    @Test func `the summary states in words which checks passed and which goals were missed`() throws {
        let good = try ParsedPage(Samples.book([Samples.idle], noise: 1.02).html()).plain
        #expect(good.contains("all checks passed"))
        #expect(good.contains("the only goal was reached."))
        #expect(good.contains("the machine was quiet"))
        #expect(!good.contains("✗ missed"))

        let bad = try ParsedPage(Samples.book(all, noise: 2.4).html()).plain
        #expect(bad.contains("Something went wrong in storm, without recovery:"))
        #expect(bad.contains("delivered within31.4 msat most 25 ms✗ missed"))
        #expect(
            bad.contains(
                "Belfry / nchan0.634 ×0.520 to 0.640at most 0.6 ×± within the spreadthe median misses the goal"))
        #expect(bad.contains("the machine was noisy"))
        #expect(bad.contains("The project’s own goals, of CPU alone."))
    }

    @Test func `checks and goals are distinguished in words`() throws {
        let page = try ParsedPage(Samples.book([Samples.compared]).html()).plain
        #expect(
            page.contains(
                "Goals are performance targets: of 4 goals, 3 were reached, 1 is within the spread, 0 were missed."
            ))
        let none = try ParsedPage(Samples.book([Samples.broken]).html()).plain
        #expect(none.contains("Checks test correctness. Something went wrong in"))
    }

    @Test func `a missed goal does not make a run fail`() throws {
        let page = try ParsedPage(Samples.book([Samples.fanout]).html()).plain
        #expect(page.contains("all checks passed"))
        #expect(page.contains("of 3 goals, 2 were reached, 1 was missed."))
    }

    @Test func `no outside text becomes markup on the page`() throws {
        let hostile = #"<script>alert("x")</script><img src='//evil' onerror=x>&amp;]]>"# + "\u{0}\u{1B}\u{FFFF}"
        let page = try ParsedPage(HostileBook.book(hostile).html())
        #expect(page.elements.isDisjoint(with: ["script", "img", "iframe", "link", "object", "a:a"]))
        #expect(page.attributes.allSatisfy { !$0.name.hasPrefix("on") && $0.name != "src" })
        // The text is still visible to the reader.
        #expect(page.text.contains(#"<script>alert("x")</script><img src='//evil' onerror=x>&amp;]]>"#))
        #expect(!page.source.contains("<script"))
    }

    @Test func `the page refers to no other resource`() throws {
        let page = try ParsedPage(Samples.book(all).html())
        for text in ["http:", "https:", "url(", "@import", "<script", "src="] {
            #expect(!page.source.contains(text), "\(text)")
        }
        let targets = Set(page.attributes.filter { $0.name == "id" }.map { "#" + $0.value })
        let links = page.attributes.filter { $0.name == "href" }.map(\.value)
        #expect(!links.isEmpty)
        for link in links { #expect(targets.contains(link), "\(link)") }
    }

    @Test func `the page is valid without reports`() throws {
        let page = try ParsedPage(Samples.book([]).html()).plain
        #expect(page.contains("no scenario was run"))
    }

    @Test func `the page is valid with invalid numbers`() throws {
        var report = Samples.fanout
        let values = [Double.nan, .infinity, -.infinity, 1e300, -1e300, 0, -0.0, .leastNonzeroMagnitude]
        report.figures = values.map { Report.Figure("odd", $0, "ms", goal: .atMost($0)) }
        report.series = [.init("odd", over: "odd", unit: "odd", points: values.map { .init($0, $0) })]
        report.distributions = [
            .init("odd", unit: "ms", count: -1, points: values.map { .init($0, $0) }),
            .init("none", unit: "ms", count: 0, points: []),
        ]
        report.comparisons = [
            .init(
                "odd", method: "", rounds: 0, measures: [.init("odd", "", better: .less)],
                contenders: values.map { value in
                    .init(
                        "x", about: "", role: .peer,
                        readings: [.init(.init(median: value, least: value, greatest: value), ratio: nil, goal: nil)])
                } + [.init("silent", about: "", role: .peer, readings: [])])
        ]
        let page = try ParsedPage(Samples.book([report], noise: .nan).html())
        for attribute in page.attributes where ["d", "x", "y", "x1", "x2", "width", "height"].contains(attribute.name) {
            #expect(!attribute.value.contains("n") && !attribute.value.contains("e"), "\(attribute)")
        }
    }

    @Test func `a single point is visible`() throws {
        var report = Samples.idle
        report.series = [.init("deliveries", over: "seconds", unit: "/s", points: [.init(0, 100)])]
        let page = try ParsedPage(Samples.book([report]).html())
        #expect(page.attributes.contains { $0.name == "class" && $0.value == "dot" })
        #expect(page.plain.contains("deliveries, seconds 0: 100/s"))
    }

    @Test func `two thousand points stay small and keep their peak`() throws {
        var report = Samples.idle
        let quiet = Samples.book([report]).html().utf8.count
        report.series = (0..<3).map { index in
            .init(
                "memory \(index)", over: "seconds", unit: "MiB",
                points: (0..<2_000).map { .init(Double($0) / 10, $0 == 777 ? 900 : Double($0 * 7_919 % 101)) })
        }
        let page = Samples.book([report]).html()
        #expect(page.utf8.count - quiet < 3 * 12_000)
        #expect(page.contains(">900<") || page.contains(">1,000<"))
        let thinned = Thinning.thinned(report.series[0].points.map { ($0.x, $0.y) })
        #expect(thinned.count <= 800)
        #expect(thinned.contains { $0.x == 77.7 && $0.y == 900 })
        #expect(zip(thinned, thinned.dropFirst()).allSatisfy { $0.x < $1.x })
    }
}
