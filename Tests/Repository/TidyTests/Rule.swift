import Testing

/// A rule about something that the sources must avoid.
struct Rule: Sendable, CustomTestStringConvertible {
    struct Finding: Equatable, CustomStringConvertible {
        let path: String
        let line: Int
        let text: String
        var description: String { "\(path):\(line): \(text)" }
    }

    let name: String
    /// The lines, 1-based, that break the rule.
    let lines: @Sendable (SourceText) -> [Int]

    var testDescription: String { name }

    func findings(in sources: [SourceText]) -> [Finding] {
        sources.flatMap { source in
            lines(source).map { number in
                Finding(path: source.path, line: number, text: "\(name): \(source.lines[number - 1].text)")
            }
        }
    }

    /// - Parameter words: A line breaks the rule only with one of them. A regular expression takes far longer than a
    ///   search for them, because it is parsed each time.
    private static func lines(
        of source: SourceText, with words: String..., where breaks: (SourceText.Line) -> Bool
    ) -> [Int] {
        source.lines.filter { line in
            (words.isEmpty || words.contains { line.text.contains($0) }) && breaks(line)
        }.map(\.number)
    }

    /// The folder of pure code: without clock, randomness, sockets, queues, files or loggers.
    static let pureFolder = "Sources/Core/"

    /// Returns the module that a line imports: for `import struct Foundation.Data`, Foundation.
    static func imported(by line: SourceText.Line) -> String? {
        guard line.code.contains("import ") else { return nil }
        let form =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(?<module>\w+)/
        guard let match = line.code.firstMatch(of: form) else { return nil }
        return String(match.output.module)
    }

    // MARK: The rules

    static func climbing(_ layers: Layers) -> Rule {
        let allowed = Dictionary(uniqueKeysWithValues: layers.targets.map { ($0.name, Set($0.dependencies)) })
        return Rule(name: "an import that climbs a layer") { source in
            lines(of: source) { line in
                guard let module = imported(by: line), allowed[module] != nil else { return false }
                return allowed[source.target]?.contains(module) == false
            }
        }
    }

    static let impureImport = Rule(name: "a pure target that imports the world") { source in
        guard source.path.hasPrefix(pureFolder) else { return [] }
        let world: Set = ["Dispatch", "Glibc", "Musl", "Darwin", "Foundation", "Logging", "Metrics", "Synchronization"]
        return lines(of: source) { world.contains(imported(by: $0) ?? "") }
    }

    static let fullFoundation = Rule(name: "the whole of Foundation") { source in
        // A plugin runs during the build and is not part of any product.
        let exempt: Set = ["BelfryCommand", "CommitPlugin", "PagePlugin"]
        guard source.path.hasPrefix("Sources/"), !exempt.contains(source.target) else { return [] }
        return lines(of: source) { imported(by: $0) == "Foundation" }
    }

    static let printing = Rule(name: "print") { source in
        let commands: Set = ["BelfryCommand", "BelfrySimulate"]
        guard source.path.hasPrefix("Sources/"), !commands.contains(source.target) else { return [] }
        return lines(of: source, with: "rint(", "dump(") { $0.code.contains(/(?:^|[^\w.])(?:print|debugPrint|dump)\(/) }
    }

    static let leftOver = Rule(name: "a left-over note") { source in
        lines(of: source, with: "FIXME", "TODO", "XXX") { $0.text.contains(/\b(?:FIXME|TODO|XXX)\b/) }
    }

    static let unguarded = Rule(name: "an @unchecked Sendable that names no queue") { source in
        lines(of: source) { line in
            guard line.code.contains("@unchecked Sendable") else { return false }
            let above = source.lines[..<(line.number - 1)].reversed()
                .prefix { !$0.text.allSatisfy(\.isWhitespace) }
            return !above.contains { $0.text.contains(/^\s*\/\/.*\b(?:[qQ]ueues?|[lL]oops?)\b/) }
        }
    }

    static let trap = Rule(name: "try! or fatalError") { source in
        lines(of: source) { $0.code.contains("try!") || $0.code.contains("fatalError(") }
    }

    /// Without root, a thread cannot return from another priority; see the decision on one priority for all threads.
    static let priority = Rule(name: "a queue or task with a priority of its own") { source in
        lines(of: source, with: "qos:", "priority:") { $0.code.contains(/\b(?:qos|priority):\s*\./) }
    }

    static let unlisted = Rule(name: "a metric that is not created from its row") { source in
        lines(of: source, with: "(label:") { $0.code.contains(/\b(?:Counter|Gauge|Meter|Recorder|Timer)\(label:/) }
    }

    static let long = Rule(name: "more than 400 lines") { source in
        // The final newline does not start another line.
        let count = source.lines.last?.text.isEmpty == true ? source.lines.count - 1 : source.lines.count
        return count > 400 ? [401] : []
    }
}
