import ChatModel
import TextRules

/// The app's text rules (`MO3`).
struct TextRuleTable {
    /// By id.
    private(set) var definitions: [String: TextRuleDefinition] = [:]
    /// Counts the changes.
    private var version: UInt64 = 0
    private let compiler = TextRuleCompiler()

    var isEmpty: Bool { definitions.isEmpty }
    /// Sorted by id.
    var sorted: [TextRuleDefinition] { TextRuleCompilation.sorted(definitions.values) }

    /// Returns the compiled rules.
    ///
    /// - Throws: 1050 if this program cannot compile them, although the one that set them could.
    func rules() throws(Rejection) -> TextRuleSet {
        do throws(Rejection) {
            if let known = compiler.table { return try known.get() }
            return try compiler.rules(of: TextRuleCompilation(.table, definitions, version))
        } catch {
            throw Rejection(.textRefused, "the rules cannot be compiled")
        }
    }

    /// Returns other rules, compiled.
    ///
    /// - Throws: 1031, 1032 or 1030, with the rule at fault.
    func rules(alone rules: [TextRuleDefinition]) throws(Rejection) -> TextRuleSet {
        let compilation = TextRuleCompilation(.alone(rules), [:], version)
        let set = try compiler.rules(of: compilation)
        compiler.take(compilation)
        return set
    }

    /// Checks that the rules compile with others added. Fewer rules always do.
    ///
    /// - Throws: 1031, 1032 or 1030, with the rule at fault.
    func check(setting new: [TextRuleDefinition]) throws(Rejection) {
        _ = try compiler.rules(of: TextRuleCompilation(.added(new), definitions, version))
    }

    func beginAttempt() { compiler.isAttempting = true }

    /// - Returns: What the attempt lacked; `nil` if nothing.
    func endAttempt() -> TextRuleCompilation? { compiler.endAttempt() }

    func add(_ rules: CompiledTextRules) { compiler.add(rules, version) }

    // MARK: evolve

    mutating func apply(_ record: Record) {
        switch record.event {
        case .textRulesSet(let rules): load(rules)
        case .textRulesDeleted(let ids):
            compiler.table = nil
            for id in ids { definitions[id] = nil }
            version += 1
        default: break
        }
    }

    mutating func load(_ rules: [TextRuleDefinition]) {
        // What was checked with these rules is the new table.
        compiler.table = compiler.take(TextRuleCompilation(.added(rules), [:], version))
        for rule in rules { definitions[rule.id] = rule }
        version += 1
    }
}

/// The last rules that were compiled.
///
/// Others are compiled at once, unless an *attempt* is in progress (see `BlockCache`): the queue of the state must not wait
/// for 10,000 rules.
///
/// Touched only on that queue.
private final class TextRuleCompiler {
    /// The table as it is now.
    var table: Result<TextRuleSet, Rejection>?
    /// What was last compiled for a check or a trial.
    private var checked: CompiledTextRules?
    private var missed: TextRuleCompilation?
    var isAttempting = false

    func rules(of compilation: TextRuleCompilation) throws(Rejection) -> TextRuleSet {
        if let checked, checked.compilation.isSame(compilation) { return try checked.result.get() }
        if isAttempting {
            missed = missed ?? compilation
            // Nobody sees it: what an attempt returns is worthless.
            throw Rejection(.internal)
        }
        let compiled = compilation.run()
        add(compiled, compilation.version)
        return try compiled.result.get()
    }

    func endAttempt() -> TextRuleCompilation? {
        isAttempting = false
        defer { missed = nil }
        return missed
    }

    /// - Parameter version: That of the table now.
    func add(_ rules: CompiledTextRules, _ version: UInt64) {
        guard case .table = rules.compilation.purpose else { return checked = rules }
        if rules.compilation.version == version { table = rules.result }
    }

    /// Returns and forgets what was compiled for a check or a trial.
    @discardableResult func take(_ compilation: TextRuleCompilation) -> Result<TextRuleSet, Rejection>? {
        guard let checked, checked.compilation.isSame(compilation) else { return nil }
        self.checked = nil
        return checked.result
    }
}

/// Returns whether two rules are the same byte by byte.
func isSame(_ a: TextRuleDefinition, _ b: TextRuleDefinition) -> Bool {
    func isSameList(_ a: [String]?, _ b: [String]?) -> Bool {
        a?.count == b?.count && zip(a ?? [], b ?? []).allSatisfy { isSameText($0, $1) }
    }
    return isSameText(a.id, b.id) && a.action == b.action && isSameText(a.pattern, b.pattern)
        && isSameList(a.words, b.words) && isSameList(a.forbiddenDomains, b.forbiddenDomains)
        && isSameList(a.allowedDomains, b.allowedDomains) && isSameList(a.customTypes, b.customTypes)
}
