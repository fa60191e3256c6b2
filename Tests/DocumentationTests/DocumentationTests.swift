import API
import Belfry
import ChatModel
import Foundation
import Testing

/// What the documentation says of the code is true: every setting, command and event in it exists, and the other way
/// round.
@Suite struct DocumentationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// The words in backticks at the start of a table's rows.
    private func firstCells(_ text: String) -> Set<String> {
        Set(
            text.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { line in
                let cell = line.dropFirst(1).prefix { $0 != "|" }
                return cell.matches(of: /`([^`]+)`/).map { String($0.1) }
            })
    }

    @Test func `the article on settings lists exactly the settings there are`() throws {
        let listed = firstCells(try text("Sources/Belfry/Belfry.docc/Settings.md"))
        #expect(listed == Set(Setting.table.map(\.key)))
    }

    @Test func `the settings of the chat are exactly those that can be changed while it runs`() {
        let configured = Setting.table.map(\.key).filter { $0.hasPrefix("chat.") }.map { String($0.dropFirst(5)) }
        #expect(Set(configured) == Set(SettingValues.CodingKeys.allCases.map(\.rawValue)))
    }

    @Test func `the article on the protocol lists exactly the commands there are`() throws {
        let article = try text("Sources/Belfry/Belfry.docc/ClientProtocol.md")
        #expect(firstCells(article) == Set(CommandTable.declarations.map(\.method)))
        for event in EventType.allCases {
            let family = event.rawValue.prefix { $0 != "." }
            let short = event.rawValue.dropFirst(family.count)
            #expect(article.contains("`\(event.rawValue)`") || article.contains("`\(short)`"), "\(event.rawValue)")
        }
    }

    @Test func `every test that the article on the page names is there`() throws {
        let article = try text("Sources/Belfry/Belfry.docc/WebPage.md")
        let folder = Self.root.appending(path: "Tests/sdk")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let tests = try files.filter { $0.lastPathComponent.hasPrefix("test_page") }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
        let there = Set(tests.matches(of: /^(?:async )?def (test_\w+)\(/.anchorsMatchLineEndings()).map(\.1))
        let named = article.matches(of: /`(test_\w+)`/).map(\.1)
        #expect(named.count > 50)
        for name in named { #expect(there.contains(name), "\(name)") }
        let rows = article.split(separator: "\n").filter { $0.hasPrefix("|") && !$0.contains("---") }
        for row in rows where !row.hasSuffix("test |") { #expect(row.contains("`test_"), "\(row)") }
    }

    /// Lines without their indentation, so that a block may stand elsewhere than in its function.
    private func unindented(_ text: some StringProtocol) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
            .trimmingCharacters(in: .newlines)
    }

    @Test func `every block of the article on embedding stands in the example, and so compiles`() throws {
        let folder = Self.root.appending(path: "Sources/Examples/EmbeddedExample")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let sources = try files.map { unindented(try String(contentsOf: $0, encoding: .utf8)) }
        let article = try text("Sources/Belfry/Belfry.docc/Embedding.md")
        let blocks = article.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(blocks.count >= 6)
        for block in blocks { #expect(sources.contains { $0.contains(unindented(block)) }, "\(block)") }
    }

    @Test func `every link of an article leads to an article`() throws {
        let folder = Self.root.appending(path: "Sources/Belfry/Belfry.docc")
        let articles = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "md" }
        let names = Set(articles.map { $0.deletingPathExtension().lastPathComponent })
        for article in articles {
            let body = try String(contentsOf: article, encoding: .utf8)
            for link in body.matches(of: /<doc:([A-Za-z]+)>/) {
                #expect(names.contains(String(link.1)), "\(article.lastPathComponent): \(link.1)")
            }
        }
    }

    @Test func `every folder in the README's map exists`() throws {
        let map = try #require(try text("README.md").split(separator: "## Map").last)
        let folders = firstCells(String(map)).flatMap { $0.split(separator: ",") }
        #expect(folders.count > 10)
        for folder in folders {
            let paths = [String(folder), "Sources/\(folder)"].map { Self.root.appending(path: $0).path }
            #expect(paths.contains { FileManager.default.fileExists(atPath: $0) }, "\(folder)")
        }
    }
}
