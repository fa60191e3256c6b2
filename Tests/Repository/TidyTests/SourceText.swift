import Foundation

/// One Swift file, read as text.
struct SourceText {
    /// The path relative to the package's root: `Sources/Core/ChatModel/Message.swift`.
    let path: String
    let lines: [Line]

    struct Line {
        /// The line number, 1-based.
        let number: Int
        let text: String
        /// The text without comments and the contents of string literals.
        let code: String
    }

    init(path: String, text: String) {
        self.path = path
        var isInText = false
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
            // A line with one `"""` starts or ends a multi-line string; its code ends there.
            let fences = line.utf8.contains(UInt8(ascii: "\"")) ? line.components(separatedBy: "\"\"\"").count - 1 : 0
            defer { if fences % 2 == 1 { isInText.toggle() } }
            return Line(number: index + 1, text: String(line), code: isInText ? "" : Self.code(of: line))
        }
    }

    /// Folders that group targets.
    private static let groups: Set<Substring> = [
        "System", "Plugins", "Core", "Engine", "Server", "Cluster", "Simulator", "Programs", "Examples", "Support",
        "Libraries", "Repository",
    ]

    /// The first folder below the root folder that is not a group: the target of a source, or the package part of
    /// `loadtest`. A target may have the name of its group. Empty if there is none.
    var target: String {
        var group: Substring?
        for folder in path.split(separator: "/").dropLast().dropFirst() {
            guard Self.groups.contains(folder), folder != group else { return String(folder) }
            group = folder
        }
        return ""
    }

    private static func code(of line: Substring) -> String {
        let (quote, backslash, slash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"))
        var code: [UInt8] = []
        var isInString = false
        var previous: UInt8 = 0
        for byte in line.utf8 {
            if byte == quote, previous != backslash {
                isInString.toggle()
            } else if !isInString {
                if byte == slash, previous == slash { return String(decoding: code.dropLast(), as: UTF8.self) }
                code.append(byte)
            }
            previous = previous == backslash && byte == backslash ? 0 : byte
        }
        return String(decoding: code, as: UTF8.self)
    }
}

/// The package that contains this test.
enum PackageRoot {
    static let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Returns every hand-written Swift file in a folder of the root, in path order; none if the folder does not exist.
    static func sources(below folder: String) -> [SourceText] {
        let start = url.appending(path: folder)
        guard let walk = FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil) else { return [] }
        var sources: [SourceText] = []
        for case let file as URL in walk {
            if file.lastPathComponent.hasPrefix(".") { walk.skipDescendants() }
            if file.lastPathComponent == "Generated" { walk.skipDescendants() }
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
