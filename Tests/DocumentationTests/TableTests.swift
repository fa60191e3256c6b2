import Belfry
import Foundation
import Testing
import WireProtocol

/// The tables of the articles on codes and metrics are the program's, row by row.
@Suite struct TableTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Belfry/Belfry.docc")

    /// The cells of the rows under a heading, those that begin with a word in backticks.
    private func rows(of article: String, under heading: String) throws -> [[String]] {
        let text = try String(contentsOf: Self.folder.appending(path: article), encoding: .utf8)
        let part = try #require(text.components(separatedBy: "\n## \(heading)\n").last)
        let lines = try #require(part.components(separatedBy: "\n## ").first).split(separator: "\n")
        return lines.filter { $0.hasPrefix("| `") }.map { line in
            line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
    }

    @Test func `the article on codes lists every error as the table has it`() throws {
        let rows = try rows(of: "Codes.md", under: "Errors")
        #expect(
            rows.map { Array($0.prefix(4)) }
                == ErrorCode.allCases.map {
                    ["`\($0.rawValue)`", $0.row.message, $0.row.reaction.rawValue, "\($0.row.status)"]
                })
        #expect(rows.allSatisfy { $0.count == 5 && !$0[4].isEmpty })
    }

    @Test func `the article on codes lists every close as the table has it`() throws {
        let rows = try rows(of: "Codes.md", under: "Closes")
        #expect(
            rows.map { Array($0.prefix(3)) }
                == DisconnectCode.allCases.map { ["`\($0.rawValue)`", $0.row.reason, $0.row.reaction.rawValue] })
        #expect(rows.allSatisfy { $0.count == 4 && !$0[3].isEmpty })
    }

    @Test func `the article on codes lists every end of a subscription as the table has it`() throws {
        let rows = try rows(of: "Codes.md", under: "Ends of subscriptions")
        #expect(rows.map { Array($0.prefix(2)) } == UnsubscribeCode.allCases.map { ["`\($0.rawValue)`", $0.reason] })
    }

    @Test func `the article on metrics lists every metric as the table has it`() throws {
        let rows = try rows(of: "Metrics.md", under: "Overview")
        #expect(
            rows
                == Metric.table.map { metric in
                    let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
                    return ["`\(metric.name)`", metric.type, labels, metric.help]
                })
        #expect(Metric.table.map(\.name) == Metric.table.map(\.name).sorted())
    }
}
