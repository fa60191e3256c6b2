import Testing

@Suite struct TidyTests {
    private let layers: Layers

    init() throws { layers = Layers(manifest: try PackageRoot.manifest()) }

    // MARK: What is there is tidy

    @Test func `every Swift target in the manifest is read`() {
        let read = Set(PackageRoot.sources(below: "Sources").map(\.target))
        let inC = layers.names.filter { $0.hasPrefix("C") && $0.dropFirst().first?.isUppercase == true }
        let ofTests = [
            "TestSupport", "SigningSupport", "LiveServers", "ClusterSupport", "Workloads", "DomainBenchmarks",
            "PartBenchmarks", "ChildProcesses",
        ]
        #expect(read.isSuperset(of: Set(layers.names).subtracting(inC + ofTests)))
    }

    @Test func `each target depends only on targets before it`() {
        #expect(layers.climbs == [])
    }

    @Test(arguments: [
        Rule.impureImport, Rule.fullFoundation, Rule.printing, Rule.leftOver, Rule.unguarded, Rule.trap, Rule.priority,
        Rule.unlisted, Rule.long,
    ])
    func `the sources follow every rule`(rule: Rule) {
        let sources = PackageRoot.sources(below: "Sources") + PackageRoot.sources(below: "loadtest")
        #expect(rule.findings(in: sources) == [])
    }

    @Test func `no import climbs a layer`() {
        #expect(Rule.climbing(layers).findings(in: PackageRoot.sources(below: "Sources")) == [])
    }

    @Test(arguments: [Rule.leftOver, Rule.long])
    func `the tests follow every rule`(rule: Rule) {
        // This target contains the names it looks for.
        let tests = PackageRoot.sources(below: "Tests").filter { $0.target != "TidyTests" }
        #expect(!tests.isEmpty)
        #expect(rule.findings(in: tests) == [])
    }

    // MARK: And each rule bites

    private func lines(_ rule: Rule, _ text: String, at path: String = "Sources/Core/Gateway/Session.swift") -> [Int] {
        rule.lines(SourceText(path: path, text: text))
    }

    private static let planted = Layers(
        manifest: """
            .executable(name: "top", targets: ["Top"]),
            .target(name: "CEpoll"),
            .target(name: "Low", swiftSettings: strict),
            .target(
                name: "Middle",
                dependencies: [
                    "Low", .product(name: "Logging", package: "swift-log"),
                ],
                swiftSettings: strict),
            .target(name: "Beside", dependencies: ["Low"]),
            .executableTarget(name: "Top", dependencies: ["Middle"]),
            .testTarget(name: "LowTests", dependencies: ["Low"]),
            """)

    @Test func `the manifest is read target by target`() {
        #expect(
            Self.planted.targets == [
                .init(name: "CEpoll", dependencies: []), .init(name: "Low", dependencies: []),
                .init(name: "Middle", dependencies: ["Low", "Logging"]), .init(name: "Beside", dependencies: ["Low"]),
                .init(name: "Top", dependencies: ["Middle"]),
            ])
        #expect(Self.planted.climbs == [])
        let climbing = Layers(
            manifest: #".target(name: "A", dependencies: ["B"]), .target(name: "B", dependencies: ["B"])"#)
        #expect(climbing.climbs == ["A → B", "B → B"])
    }

    @Test(arguments: [
        ("Low", "import Middle", false), ("Low", "@testable import Top", false), ("Middle", "import Low", true),
        ("Middle", "import Beside", false), ("Middle", "package import Top", false), ("Top", "import Middle", true),
        ("Top", "import struct Low.Thing", false), ("Low", "import Logging", true), ("Low", "// import Middle", true),
        ("Low", "let text = \"import Middle\"", true),
    ])
    func `an import that climbs a layer is reported`(target: String, text: String, isFine: Bool) {
        let rule = Rule.climbing(Self.planted)
        #expect(lines(rule, "\n" + text, at: "Sources/\(target)/A.swift") == (isFine ? [] : [2]))
    }

    @Test(arguments: ["Dispatch", "Glibc", "Logging", "Metrics", "Foundation"])
    func `an I/O import in a pure target is reported`(module: String) {
        for form in ["import \(module)", "internal import \(module)", "@preconcurrency import \(module)"] {
            #expect(lines(.impureImport, form, at: "Sources/Core/Gateway/A.swift") == [1])
            #expect(lines(.impureImport, form, at: "Sources/Server/Transport/A.swift") == [])
        }
        #expect(lines(.impureImport, "import \(module)Essentials\nimport HTTPTypes") == [])
    }

    @Test(arguments: [
        ("import Foundation", true), ("import struct Foundation.Data", true), ("public import Foundation", true),
        ("import FoundationEssentials", false), ("// import Foundation", false),
    ])
    func `an import of all of Foundation is reported`(text: String, isFound: Bool) {
        #expect(lines(.fullFoundation, text) == (isFound ? [1] : []))
        #expect(lines(.fullFoundation, text, at: "Sources/Programs/BelfryCommand/Serve.swift") == [])
    }

    @Test(arguments: [
        ("print(1)", true), ("    { print(\"x\") }", true), ("debugPrint(x)", true), ("dump(x)", true),
        ("blueprint(1)", false), ("printer.print(1)", false), ("// print(1)", false), ("let a = \"print(1)\"", false),
        (#"log("a\" print(1)")"#, false), (#"print("//")"#, true),
    ])
    func `print calls are reported, and lookalikes are not`(text: String, isFound: Bool) {
        #expect(lines(.printing, text) == (isFound ? [1] : []))
        #expect(lines(.printing, text, at: "Sources/Programs/BelfryCommand/Serve.swift") == [])
        #expect(lines(.printing, text, at: "loadtest/Sources/Fanout.swift") == [])
    }

    @Test func `a print inside a multi-line string is not reported`() {
        #expect(lines(.printing, "let a = \"\"\"\n    print(1)\n    \"\"\"\nprint(2)") == [4])
    }

    @Test(arguments: [
        ("// TODO: later", true), ("/// FIXME", true), ("let a = 1 // XXX", true), ("// todo", false),
        (#"// \uXXXX"#, false), ("let TODOS = 1", false),
    ])
    func `a leftover note is reported`(text: String, isFound: Bool) {
        #expect(lines(.leftOver, text) == (isFound ? [1] : []))
    }

    @Test(arguments: [
        ("final class A: @unchecked Sendable {}", false), ("/// Fast.\nfinal class A: @unchecked Sendable {}", false),
        ("/// State is touched on its queue only.\n\nfinal class A: @unchecked Sendable {}", false),
        ("let queue = 1\nfinal class A: @unchecked Sendable {}", false),
        ("/// State is touched on `queue` only.\nfinal class A: @unchecked Sendable {}", true),
        ("/// All on one loop.\n@usableFromInline\nfinal class A<T>: Thing,\n    @unchecked Sendable {}", true),
        ("// @unchecked Sendable", true), ("final class A: Sendable {}", true),
    ])
    func `an @unchecked Sendable must name its queue`(text: String, isFine: Bool) {
        #expect(lines(.unguarded, text).isEmpty == isFine)
    }

    @Test(arguments: [
        ("let a = try! b()", true), ("fatalError()", true), ("default: fatalError(\"x\")", true),
        ("let a = try? b()", false), ("// try! and fatalError(", false), ("try !isOpen()", false),
        ("#error(\"try!\")", false), ("preconditionFailure()", false),
    ])
    func `a trap is reported`(text: String, isFound: Bool) {
        #expect(lines(.trap, text) == (isFound ? [1] : []))
    }

    @Test(arguments: [
        (#"DispatchQueue(label: "a", qos: .utility)"#, true), ("DispatchQueue.global(qos: .background)", true),
        ("Task(priority: .low) {}", true), ("Task.detached(priority:.high) {}", true),
        (#"DispatchQueue(label: "qos: .utility")"#, false), ("// qos: .utility", false), ("Task {}", false),
    ])
    func `a changed thread priority is reported`(text: String, isFound: Bool) {
        #expect(lines(.priority, text) == (isFound ? [1] : []))
    }

    @Test(arguments: [
        (#"Counter(label: "a", factory: factory)"#, true), (#"Gauge(label: "a").record(1)"#, true),
        ("Counter(.commands, factory)", false), ("makeTimer(label: label, dimensions: [])", false),
        (#"Logger(label: "a")"#, false), ("// Meter(label:", false),
    ])
    func `a metric without a table row is reported`(text: String, isFound: Bool) {
        #expect(lines(.unlisted, text) == (isFound ? [1] : []))
    }

    @Test(arguments: [(1, false), (399, false), (400, false), (401, true), (900, true)])
    func `a file has at most 400 lines`(count: Int, isLong: Bool) {
        let text = String(repeating: "let a = 1\n", count: count)
        #expect(lines(.long, text).isEmpty == !isLong)
        #expect(lines(.long, String(text.dropLast())).isEmpty == !isLong)
    }
}
