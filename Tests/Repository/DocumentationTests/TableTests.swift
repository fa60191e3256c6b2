import Belfry
import ChatDomain
import ChatModel
import Foundation
import MetricTable
import Testing
import WireProtocol

/// Checks the articles' tables of codes, metrics, settings and limits against the program, row by row.
@Suite struct TableTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Sources/Belfry/Belfry.docc")

    /// Returns the cells of the rows under a heading that begin with a word in backticks.
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

    @Test func `the codes article lists every error as in the table`() throws {
        let rows = try rows(of: "Codes.md", under: "Errors")
        #expect(
            rows.map { Array($0.prefix(4)) }
                == ErrorCode.allCases.map {
                    ["`\($0.rawValue)`", $0.row.message, $0.row.reaction.rawValue, "\($0.row.status)"]
                })
        #expect(rows.allSatisfy { $0.count == 5 && !$0[4].isEmpty })
    }

    @Test func `the codes article lists every close code as in the table`() throws {
        let rows = try rows(of: "Codes.md", under: "Closes")
        #expect(
            rows.map { Array($0.prefix(3)) }
                == DisconnectCode.allCases.map { ["`\($0.rawValue)`", $0.row.reason, $0.row.reaction.rawValue] })
        #expect(rows.allSatisfy { $0.count == 4 && !$0[3].isEmpty })
    }

    @Test func `the codes article lists every unsubscribe code as in the table`() throws {
        let rows = try rows(of: "Codes.md", under: "Unsubscribe codes")
        #expect(rows.map { Array($0.prefix(2)) } == UnsubscribeCode.allCases.map { ["`\($0.rawValue)`", $0.reason] })
    }

    @Test func `the metrics article lists every metric as in the table`() throws {
        let rows = try rows(of: "Metrics.md", under: "Overview")
        #expect(
            rows
                == Metric.all.map { metric in
                    let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
                    return ["`\(metric.name)`", metric.kind.rawValue, labels, metric.help]
                })
    }

    /// The defaults of numeric settings, by key.
    private var defaults: [String: Int] {
        let configuration = Configuration(tokenSecret: "a secret of at least thirty-two bytes")
        let numbers = Setting.table.map { ($0.key, $0.number(in: configuration)) }
        return Dictionary(uniqueKeysWithValues: numbers).compactMapValues(\.self)
    }

    @Test func `the settings article has the default of every number`() throws {
        let rows = try rows(of: "Settings.md", under: "Overview")
        let said = Dictionary(uniqueKeysWithValues: rows.map { ($0[0].filter { $0 != "`" }, Int($0[1])) })
        for (key, number) in defaults { #expect(said[key] == number, "\(key)") }
        #expect(defaults.count > 50)
    }

    @Test func `the limits article has the default of every setting in it`() throws {
        let rows = try rows(of: "Limits.md", under: "Connections")
        for row in rows {
            let key = row[0].filter { $0 != "`" }
            #expect(defaults[key].map(Self.grouped) == row[1], "\(key)")
        }
        #expect(rows.count > 20)
    }

    @Test func `the limits article has the field sizes that commands check`() throws {
        let rows = try rows(of: "Limits.md", under: "Fields")
        let sizes: [(field: String, limit: Int, unit: String)] = [
            ("`id`", UserID.codePointLimit, "characters"),
            ("`text`", FieldLimits.textBytes, "bytes"),
            ("`data`", FieldLimits.dataBytes, "bytes"),
            ("`custom_type`", FieldLimits.customTypeBytes, "bytes"),
            ("`client_id`", FieldLimits.clientIDBytes, "bytes"),
            ("`name`", FieldLimits.nameCodePoints, "characters"),
            ("`nickname`", FieldLimits.nicknameCodePoints, "characters"),
            ("`url`", FieldLimits.urlBytes, "bytes"),
            ("`mentioned_user_ids`", FieldLimits.mentions, "values"),
            ("`files`", FieldLimits.filesPerMessage, "values"),
            ("`thumbnails`", FieldLimits.thumbnailsPerMessage, "values"),
            ("`target_languages`", FieldLimits.targetLanguages, "values"),
            ("`meta_arrays`", FieldLimits.metaArrayKeys, "keys"),
            ("`meta_arrays` values", FieldLimits.metaArrayValues, "values"),
            ("`meta_arrays` in total", FieldLimits.metaArrayBytes, "bytes"),
            ("`metadata`", FieldLimits.metadataKeys, "keys"),
            ("`metadata` values", FieldLimits.metadataValueBytes, "bytes"),
            ("`user_ids`", FieldLimits.idsPerCommand, "values"),
            ("`custom_types` and other filters", FieldLimits.filterValues, "values"),
            ("`query`", FieldLimits.searchBytes, "bytes"),
            ("`description`, `note`", FieldLimits.descriptionBytes, "bytes"),
            ("`key`", FieldLimits.emojiKeyBytes, "bytes"),
            ("`token`", FieldLimits.deviceTokenBytes, "bytes"),
            ("`limit`", FieldLimits.pageSize, "values"),
            ("`seconds`", Int(FieldLimits.sanctionSeconds.upperBound), "seconds"),
            ("`slow_mode_seconds`", Int(FieldLimits.slowModeSeconds.upperBound), "seconds"),
        ]
        #expect(rows.map { Array($0.prefix(2)) } == sizes.map { [$0.field, "\(Self.grouped($0.limit)) \($0.unit)"] })
    }

    @Test func `the limits article has the numbers given in prose next to the sizes`() throws {
        let rows = try rows(of: "Limits.md", under: "Fields")
        let beside = Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[2]) })
        for (field, number) in [
            ("`id`", 320), ("`meta_arrays`", FieldLimits.metaArrayKeyBytes),
            ("`meta_arrays` values", FieldLimits.metaArrayValueBytes), ("`metadata`", FieldLimits.metadataKeyBytes),
            ("`token`", FieldLimits.devicesPerUser), ("`limit`", FieldLimits.defaultPageSize),
        ] {
            let words = try #require(beside[field]).split { !($0.isNumber || $0 == ",") }.map(String.init)
            #expect(words.contains(Self.grouped(number)), "\(field): \(number)")
        }
    }

    /// Formats a number with thousands in groups: `1,048,576`.
    private static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.enumerated().map { place, digit in
            place > 0 && (digits.count - place).isMultiple(of: 3) ? ",\(digit)" : String(digit)
        }.joined()
    }
}
