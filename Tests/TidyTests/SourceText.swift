import Foundation

/// One Swift file, read as text.
struct SourceText {
    /// From the package's root on: `Sources/ChatModel/Message.swift`.
    let path: String
    let lines: [Line]

    struct Line {
        /// 1-based.
        let number: Int
        let text: String
        /// The text without comments and without what stands in string literals.
        let code: String
    }

    init(path: String, text: String) {
        self.path = path
        var isInText = false
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
            let fences = line.ranges(of: "\"\"\"").count
            defer { if fences % 2 == 1 { isInText.toggle() } }
            return Line(number: index + 1, text: String(line), code: isInText ? "" : Self.code(of: line))
        }
    }

    /// The folder below the first one: the target of a source, the package part of `loadtest`.
    var target: String {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : ""
    }

    private static func code(of line: Substring) -> String {
        var code = ""
        var isInString = false
        var previous: Character = " "
        for character in line {
            if character == "\"", previous != "\\" {
                isInString.toggle()
            } else if !isInString {
                if character == "/", previous == "/" { return String(code.dropLast()) }
                code.append(character)
            }
            previous = previous == "\\" && character == "\\" ? " " : character
        }
        return code
    }
}

/// The package this test belongs to.
enum PackageRoot {
    static let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every Swift file below a folder of the root, in the order of its path; empty when there is no such folder.
    static func sources(below folder: String) -> [SourceText] {
        let start = url.appending(path: folder)
        guard let walk = FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil) else { return [] }
        var sources: [SourceText] = []
        for case let file as URL in walk {
            if file.lastPathComponent.hasPrefix(".") { walk.skipDescendants() }
            guard file.pathExtension == "swift", let text = try? String(contentsOf: file, encoding: .utf8) else {
                continue
            }
            let path = file.standardizedFileURL.path().dropFirst(url.standardizedFileURL.path().count)
            sources.append(SourceText(path: String(path.drop { $0 == "/" }), text: text))
        }
        return sources.sorted { $0.path < $1.path }
    }

    static func manifest() throws -> String {
        try String(contentsOf: url.appending(path: "Package.swift"), encoding: .utf8)
    }
}
