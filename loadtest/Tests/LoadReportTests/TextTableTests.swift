import Testing

@testable import LoadReport

@Suite struct TextTableTests {
    @Test func `a table shows the question, the results and the problems`() {
        let table = Samples.fanout.table()
        for text in [
            "fanout: How fast does one message reach everyone in a large room?",
            "subscribers 1000 · publishers 10", "CPU per delivery", "4.61 µs", "4.50 to 4.88", "at most 5 µs: reached",
            "31.4 ms", "at most 25 ms: NOT reached", "p99.99", "intended time to delivery", "1,000,000",
            "ok    every message heard once by everyone: 1,000,000 of 1,000,000", "note: the tester used 0.95 cores",
        ] {
            #expect(table.replacing("\u{A0}", with: " ").contains(text), "\(text)")
        }
        let broken = Samples.broken.table()
        #expect(broken.contains("storm, without recovery: Does everyone come back?"))
        #expect(broken.contains("FAIL  nobody has a gap: 3 of 15,000 have one"))
        #expect(broken.contains("PROBLEM: load-x-s17 misses 2 messages, first 41"))
        let compared = Samples.compared.table().replacing("\u{A0}", with: " ")
        #expect(compared.contains("kernel floor"))
        #expect(compared.contains("nchan         nginx 1.22.1 with libnginx-mod-nchan 1.3.6"))
        #expect(compared.contains("0.634 ×"))
        #expect(compared.contains("at most 0.6 ×: within the spread"))
        let flowing = compared.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(flowing.contains("Below 1 is better for Belfry where less is better"))
        #expect(compared.contains("deliveries, /s (more is better)"))
        #expect(compared.contains("note: Outlying rounds"))
        #expect(flowing.contains("uWebSockets, round 3: 9 µs, machine's"))
    }

    @Test func `a single measurement has no spread`() {
        let lines = Samples.compared.table().replacing("\u{A0}", with: " ").split(separator: "\n")
        let memory = lines.drop { !$0.hasPrefix("memory for a connection") }
        let row = memory.first { $0.hasPrefix("nchan") }
        #expect(row?.split(separator: " ") == ["nchan", "10.4", "0.795", "×"])
    }

    @Test(arguments: [Samples.fanout, Samples.idle, Samples.broken, Samples.compared])
    func `no line is wider than the terminal`(report: Report) {
        for line in report.table().split(separator: "\n") { #expect(line.count <= 110, "\(line)") }
        #expect(report.table().hasSuffix("\n"))
        #expect(!report.table().hasSuffix("\n\n"))
    }

    @Test(arguments: ["word ", "wörter-ohne-ende", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} "], [1, 30, 500])
    func `no text makes a line too wide, and paragraphs lose no text`(word: String, count: Int) {
        let text = String(repeating: word, count: count)
        let book = HostileBook.book(text)
        for line in book.reports[0].table().split(separator: "\n") { #expect(line.count <= 110, "\(line)") }
        var table = TextTable()
        table.paragraph(text, head: "FAIL  ", indent: 6)
        func letters(_ text: String) -> String { text.filter { !$0.isWhitespace } }
        #expect(letters(table.lines.joined()) == letters("FAIL" + TextTable.printable(text)))
        for line in table.lines.dropFirst() { #expect(line.hasPrefix("      ")) }
    }

    @Test func `outside text cannot control the terminal`() {
        let table = HostileBook.book("a\u{1B}[2Jb\rc\u{9B}d\u{202E}e\u{2028}f\u{0}").reports[0].table()
        #expect(table.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
        #expect(table.contains("a?[2Jb?c?d?e?f?"))
    }

    @Test func `no value is shown for a percentile that was not recorded`() {
        let row = Samples.fanout.table().split(separator: "\n").first { $0.hasPrefix("intended time to ack") }
        #expect(row?.split(separator: " ").suffix(3) == ["6.10", "–", "7.40"])
    }
}
