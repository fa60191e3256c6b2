import API
import Belfry
import ChatModel
import Foundation
import Testing

/// Checks that the documentation and the code have the same settings, commands and events.
@Suite struct DocumentationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// Returns the words in backticks at the start of a table's rows.
    private func firstCells(_ text: String) -> Set<String> {
        Set(
            text.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { line in
                let cell = line.dropFirst(1).prefix { $0 != "|" }
                return cell.matches(of: /`([^`]+)`/).map { String($0.1) }
            })
    }

    @Test func `the settings article lists exactly the existing settings`() throws {
        let listed = firstCells(try text("Sources/Belfry/Belfry.docc/Settings.md"))
        #expect(listed == Set(Setting.table.map(\.key)))
    }

    @Test func `the settings article and the table agree on which settings can be reloaded`() throws {
        let article = try text("Sources/Belfry/Belfry.docc/Settings.md")
        let said = article.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            let cells = row.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return [cells[1], cells.count == 6 ? cells[3] : "not four cells"]
        }
        let expected = Setting.table.map { ["`\($0.key)`", $0.isReloaded ? "yes" : ""] }
        #expect(said.sorted { $0[0] < $1[0] } == expected.sorted { $0[0] < $1[0] })
    }

    @Test func `the chat's settings are exactly those that can be changed at run time`() {
        let configured = Setting.table.map(\.key).filter { $0.hasPrefix("chat.") }.map { String($0.dropFirst(5)) }
        #expect(Set(configured) == Set(SettingValues.CodingKeys.allCases.map(\.rawValue)))
    }

    @Test func `the protocol article lists exactly the existing commands`() throws {
        let article = try text("Sources/Belfry/Belfry.docc/ClientProtocol.md")
        #expect(firstCells(article) == Set(CommandTable.declarations.map(\.method)))
        for event in EventType.allCases {
            let family = event.rawValue.prefix { $0 != "." }
            let short = event.rawValue.dropFirst(family.count)
            #expect(article.contains("`\(event.rawValue)`") || article.contains("`\(short)`"), "\(event.rawValue)")
        }
    }

    @Test func `every test named in the web page article exists`() throws {
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

    /// Removes indentation, so that a block can be indented differently in its function.
    private func unindented(_ text: some StringProtocol) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
            .trimmingCharacters(in: .newlines)
    }

    @Test func `every block in the embedding article is in the compiled example`() throws {
        let folder = Self.root.appending(path: "Sources/Programs/Examples/EmbeddedExample")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let sources = try files.map { unindented(try String(contentsOf: $0, encoding: .utf8)) }
        let article = try text("Sources/Belfry/Belfry.docc/Embedding.md")
        let blocks = swiftBlocks(article)
        #expect(blocks.count >= 6)
        for block in blocks { #expect(sources.contains { $0.contains(unindented(block)) }, "\(block)") }
    }

    /// Returns the text of each Swift block.
    private func swiftBlocks(_ article: String) -> [String] {
        article.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }

    /// Returns whether a source contains all lines of a block in order, with any others in between, such as a test's
    /// setup and checks.
    private func has(_ source: String, linesOf block: String) -> Bool {
        var lines = unindented(source).split(separator: "\n")[...]
        return unindented(block).split(separator: "\n").allSatisfy { line in
            guard let place = lines.firstIndex(of: line) else { return false }
            lines = lines[(place + 1)...]
            return true
        }
    }

    @Test func `every block in the README and the other articles is in the compiled tests`() throws {
        let examples = try text("Tests/Repository/DocumentationTests/Examples.swift")
        for (article, source) in [
            ("README.md", examples), ("Sources/Belfry/Belfry.docc/Belfry.md", examples),
            (
                "Sources/Belfry/Belfry.docc/SwiftClients.md",
                try text("Tests/Repository/DocumentationTests/SwiftClientExample.swift")
            ),
        ] {
            let blocks = swiftBlocks(try text(article))
            #expect(blocks.count == 1)
            // The test uses a separate folder.
            for block in blocks {
                #expect(has(source, linesOf: block.replacing("\"/var/lib/belfry\"", with: "folder")), "\(article)")
            }
        }
    }

    @Test func `every package and product that articles add to a manifest exists`() throws {
        let manifest = unindented(try text("Package.swift"))
        for article in ["Embedding", "SwiftClients"] {
            let lines = unindented(try text("Sources/Belfry/Belfry.docc/\(article).md")).split(separator: "\n")
            for line in lines where line.hasPrefix(".package(url:") { #expect(manifest.contains(line), "\(line)") }
            let products = lines.compactMap { $0.firstMatch(of: /^\.product\(name: "(\w+)", package: "([\w-]+)"\),/) }
            #expect(!products.isEmpty)
            for product in products {
                let known =
                    product.2 == "belfry"
                    ? manifest.contains(".library(name: \"\(product.1)\"")
                    : manifest.contains(".product(name: \"\(product.1)\", package: \"\(product.2)\")")
                #expect(known, "\(product.0)")
            }
        }
    }

    private func articles() throws -> [URL] {
        let folder = Self.root.appending(path: "Sources/Belfry/Belfry.docc")
        return try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "md" }
    }

    @Test func `every link in an article resolves, and the first article links to every other`() throws {
        let articles = try articles()
        let names = Set(articles.map { $0.deletingPathExtension().lastPathComponent })
        for article in articles {
            let body = try String(contentsOf: article, encoding: .utf8)
            let links = body.matches(of: /<doc:([^>]+)>/).map { String($0.1) }
            for link in links { #expect(names.contains(link), "\(article.lastPathComponent): \(link)") }
            if article.lastPathComponent == "Belfry.md" {
                #expect(Set(links) == names.subtracting(["Belfry"]))
            }
        }
    }

    /// Returns the targets of Markdown links and images, except URLs.
    private func relativeLinks(_ text: String) -> [String] {
        text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
            .filter { !$0.hasPrefix("http") && !$0.hasPrefix("<doc:") }
    }

    @Test func `every linked file exists`() throws {
        let resources = Self.root.appending(path: "Sources/Belfry/Belfry.docc/Resources")
        let readmes = ["README.md", "loadtest/README.md"].map { Self.root.appending(path: $0) }
        var count = 0
        for text in try readmes + articles() {
            // DocC finds images by name.
            let folder = text.path.contains(".docc/") ? resources : text.deletingLastPathComponent()
            for link in relativeLinks(try String(contentsOf: text, encoding: .utf8)) {
                let isThere = FileManager.default.fileExists(atPath: folder.appending(path: link).path)
                #expect(isThere, "\(text.lastPathComponent): \(link)")
                count += 1
            }
        }
        #expect(count > 20)
    }

    @Test func `every repository file named in an article exists`() throws {
        for article in try articles() + [Self.root.appending(path: ".github/CONTRIBUTING.md")] {
            let body = try String(contentsOf: article, encoding: .utf8)
            for name in body.matches(of: /`((?:Sources|Tests|deploy|loadtest)\/[\w.\/-]+)`/).map({ String($0.1) }) {
                let path = Self.root.appending(path: name).path
                #expect(FileManager.default.fileExists(atPath: path), "\(article.lastPathComponent): \(name)")
            }
        }
    }

    @Test func `the README's map lists every folder of the sources`() throws {
        let map = try #require(try text("README.md").split(separator: "## Map").last)
        let listed = firstCells(String(map))
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "Sources").path)
        #expect(listed == Set(folders))
    }
}
