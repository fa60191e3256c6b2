import API
import Foundation
import Testing

/// The rules article defines the tags, such as `MS3`, by which sources and tests refer to rules.
@Suite struct RulesTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Returns whether a word has a tag's form: one or two letters and a number. Attacks (`N20`) and planted faults
    /// (`J1`) have the same form, with letters that no rule uses.
    private func isTag(_ word: Substring) -> Bool {
        guard word.utf8.count <= 4, let match = word.wholeMatch(of: /([A-Z]{1,2})[1-9][0-9]?/) else { return false }
        return !["E", "G", "J", "N", "P", "S", "SN"].contains(match.1)
    }

    /// Returns the tags before the colon of a test's name, as in `MS8, T3: a reply and its quote`, or of a docstring,
    /// which may consist of tags only.
    private func leadingTags(_ text: Substring) -> [Substring] {
        let words = text.prefix { $0 != ":" }.split { $0 == "," || $0.isWhitespace }
        return words.allSatisfy(isTag) ? words : []
    }

    /// Returns the files in a folder of the root, by path.
    private func texts(below folder: String, endings: Set<String>) throws -> [String: String] {
        let start = Self.root.appending(path: folder)
        let walk = try #require(
            FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil, options: .skipsHiddenFiles))
        var texts: [String: String] = [:]
        for case let file as URL in walk where endings.contains(file.pathExtension) {
            texts[file.path] = try String(contentsOf: file, encoding: .utf8)
        }
        return texts
    }

    /// Returns the backticked tags in sources, comments and articles, each with a file that contains it.
    private func tagsInBackticks() throws -> [Substring: String] {
        var uses: [Substring: String] = [:]
        for folder in ["Sources", "Tests"] {
            for (path, text) in try texts(below: folder, endings: ["swift", "md", "js", "h", "proto"]) {
                for word in text.split(separator: "`") where isTag(word) { uses[word] = path }
            }
        }
        return uses
    }

    /// Returns the tags in the names of Swift tests and the docstrings of Python tests, each with a file that contains
    /// it.
    private func testedTags() throws -> [Substring: String] {
        var uses: [Substring: String] = [:]
        for (path, text) in try texts(below: "Tests", endings: ["swift"]) {
            let parts = text.split(separator: "`", omittingEmptySubsequences: false)
            for (part, name) in zip(parts, parts.dropFirst()) where part.hasSuffix("func ") {
                for tag in leadingTags(name) { uses[tag] = path }
            }
        }
        for (path, text) in try texts(below: "Tests/sdk", endings: ["py"]) {
            for part in text.components(separatedBy: "\"\"\"") {
                for tag in leadingTags(part[...]) { uses[tag] = path }
            }
        }
        return uses
    }

    /// Returns the tag, rule, commands and article of each row.
    private func rows() throws -> [[String]] {
        let article = Self.root.appending(path: "Sources/Belfry/Belfry.docc/Rules.md")
        let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
        return lines.filter { $0.hasPrefix("| `") }.map { line in
            line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// Returns the tags in the order of the article.
    private func definedTags() throws -> [Substring] {
        try rows().compactMap { $0.first?.dropFirst().dropLast() }
    }

    @Test func `every tag in sources and test names is defined in the rules article`() throws {
        let defined = Set(try definedTags())
        let uses = try tagsInBackticks().merging(testedTags()) { source, _ in source }
        #expect(uses.count > 50)
        let undefined = uses.filter { !defined.contains($0.key) }
        #expect(undefined == [:])
    }

    @Test func `every rule has a test named after it`() throws {
        let tested = try testedTags()
        let untested = try definedTags().filter { tested[$0] == nil }
        #expect(untested == [])
    }

    @Test func `each rule is defined once, in prose, with an article that documents it`() throws {
        let tags = try definedTags()
        #expect(tags.count == Set(tags).count)
        #expect(tags.allSatisfy { isTag($0) })
        for row in try rows() {
            #expect(row.count == 4 && row.allSatisfy { !$0.isEmpty }, "\(row)")
            let namesArticle = row.last?.contains(/<doc:\w+>/) ?? false
            #expect(namesArticle, "\(row)")
        }
    }

    @Test func `every command in the rules article exists`() throws {
        let commands = Set(CommandTable.declarations.map(\.method))
        for row in try rows() where row.count == 4 {
            for name in row[2].matches(of: /`([a-z]+\.[a-z_]+)`/).map({ String($0.1) }) {
                #expect(commands.contains(name), "\(row[0]): \(name)")
            }
        }
    }

    @Test(arguments: [
        ("MS3: a retry waits", ["MS3"]), ("MS8, T3: a quote", ["MS8", "T3"]), ("US3 CH2", ["US3", "CH2"]),
        ("N20: an address", []), ("RSV1 is refused", []), ("a text of MS3", []), ("MS03: a text", []), ("", []),
    ])
    func `tags are recognized only at the start of a name`(name: String, tags: [String]) {
        #expect(leadingTags(name[...]).map { String($0) } == tags)
    }
}
