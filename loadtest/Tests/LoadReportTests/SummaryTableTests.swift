import Testing

@testable import LoadReport

@Suite struct SummaryTableTests {
    private let all = [Samples.fanout, Samples.idle, Samples.broken, Samples.compared]

    @Test func `each report has one line, and the last line gives the outcome`() {
        let lines = Samples.book(all).summaryTable().replacing("\u{A0}", with: " ").split(separator: "\n").map(
            String.init)
        #expect(lines.count == 7)
        let fanout = lines[1].split(separator: " ").joined(separator: " ")
        #expect(fanout == "fanout CPU per delivery: 4.61 µs 8.90 ms 2 of 2 2 of 3 ok")
        #expect(lines[4].contains("3 of 4, 1 open"))
        #expect(lines[3].hasPrefix("storm, without recovery"))
        #expect(lines[3].hasSuffix("WRONG"))
        #expect(lines[5].contains("noise 1.34 ×"))
        #expect(lines[6] == "Something went wrong in 1 of 4 runs.")
        #expect(Samples.book([Samples.idle]).summaryTable().hasSuffix("All checks passed.\n"))
    }

    @Test func `results of a debug build are marked, at the top of the page and below the table`() throws {
        var book = Samples.book([Samples.idle])
        let words = "debug build: the figures are meaningless"
        for (isDebug, says) in [(true, true), (false, false), (nil, false)] {
            book.isDebugBuild = isDebug
            #expect(book.summaryTable().contains(words) == says)
            #expect(try ParsedPage(book.html()).plain.contains(words) == says)
        }
    }

    @Test func `a goal judged despite noise states how much noise`() throws {
        var report = Samples.fanout
        for (noise, says) in [(2.5, true), (1.2, false), (nil, false)] {
            report.noise = noise
            #expect(try ParsedPage(Samples.book([report]).html()).plain.contains("noise was 2.50") == says)
        }
    }

    @Test func `no line is too wide`() {
        let hostile = HostileBook.book(String(repeating: "scenario ", count: 40)).reports
        for line in Samples.book(all + hostile).summaryTable().split(separator: "\n") {
            #expect(line.count <= 110, "\(line)")
        }
    }
}
