import Foundation
import FoundationXML
import LoadReport

/// A page with its SVGs as an XML parser reads it; parsing throws if it is not well-formed.
struct ParsedPage {
    let source: String
    /// The text and the attribute values, in document order.
    let text: String
    /// The text without the style sheet, with white space collapsed.
    let plain: String
    let elements: Set<String>
    let attributes: [(name: String, value: String)]

    init(_ source: String) throws {
        self.source = source
        let parser = XMLParser(data: Data(source.utf8))
        let collector = Collector()
        parser.delegate = collector
        guard parser.parse() else {
            throw PageError(text: "line \(parser.lineNumber): \(parser.parserError.map { "\($0)" } ?? "not XML")")
        }
        (text, elements, attributes) = (collector.text, collector.elements, collector.attributes)
        plain = collector.plain.split(whereSeparator: { $0.isWhitespace || $0 == "\u{A0}" }).joined(separator: " ")
    }

    struct PageError: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }

    private final class Collector: NSObject, XMLParserDelegate {
        var text = ""
        var plain = ""
        var elements: Set<String> = []
        var attributes: [(name: String, value: String)] = []
        private var isStyle = false

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes values: [String: String]
        ) {
            elements.insert(name)
            isStyle = name == "style"
            for (name, value) in values {
                attributes.append((name, value))
                text += value + "\n"
            }
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            isStyle = false
            if ["p", "td", "th", "li", "b", "span", "dt", "dd", "h1", "h2", "h3", "text"].contains(name) {
                text += "\n"
            }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) {
            text += string
            if !isStyle { plain += string }
        }
    }
}

/// A report book in which every text is the same hostile one.
enum HostileBook {
    static func book(_ text: String) -> ReportBook {
        var report = Report(scenario: text, question: text, method: text)
        report.title = text
        report.settings = [.init(text, text, text)]
        report.figures = [.init(text, 1, text, spread: 0...2, goal: .atMost(0)), .init(text, 2, text)]
        report.distributions = [
            .init(text, unit: text, count: 10, points: [.init(50, 1), .init(99, 2), .init(100, 3)])
        ]
        report.series = [
            .init(text, over: text, unit: text, points: [.init(0, 1), .init(1, 2)]),
            .init(text, over: text, unit: text, points: [.init(0, 1), .init(1, 2)]),
        ]
        let spread = Report.Comparison.Spread(median: 2, least: 1, greatest: 3)
        report.comparisons = [
            .init(
                text, method: text, rounds: 2, measures: [.init(text, text, better: .less)],
                contenders: [
                    .init(text, about: text, role: .peer, readings: [.init(spread, ratio: spread, goal: .atMost(1))])
                ])
        ]
        report.checks = [.init(text, found: text, passed: false)]
        report.remarks = [text]
        report.problems = [text]
        return ReportBook(
            machine: Machine(processor: text, cores: 1, memory: 1, kernel: text, noise: 1), started: text,
            command: text, server: text, reports: [report])
    }
}
