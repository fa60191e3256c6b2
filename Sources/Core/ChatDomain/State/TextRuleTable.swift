import ChatModel
import TextRules

/// The app's text rules, and what they compile to (`MO3`).
struct TextRuleTable {
    /// By id.
    private(set) var definitions: [String: TextRuleDefinition] = [:]
    private var compiled = CompiledRules()

    var isEmpty: Bool { definitions.isEmpty }
    /// Sorted by id.
    var sorted: [TextRuleDefinition] { definitions.values.sorted { ByteOrder.compare($0.id, $1.id) < 0 } }

    /// The compiled rules; `nil` if this program cannot compile them, although the one that set them could.
    var rules: TextRuleSet? { compiled.rules(of: self) }

    /// Checks that the rules compile with others added. Fewer rules always do.
    ///
    /// - Throws: 1031, 1032 or 1030, with the rule at fault.
    func check(setting new: [TextRuleDefinition]) throws(Rejection) {
        var table = self
        for rule in new { table.definitions[rule.id] = rule }
        compiled.next = (new, try TextRuleSet(compiling: table.sorted))
    }

    // MARK: evolve

    mutating func apply(_ record: Record) {
        switch record.event {
        case .textRulesSet(let rules): load(rules)
        case .textRulesDeleted(let ids):
            for id in ids { definitions[id] = nil }
            compiled = CompiledRules()
        default: break
        }
    }

    mutating func load(_ rules: [TextRuleDefinition]) {
        for rule in rules { definitions[rule.id] = rule }
        compiled = CompiledRules(compiled.rules(after: rules))
    }
}

/// Rules that are compiled when they are first needed: a replay may set them many times before anyone sends a text. A new
/// one takes its place with every change.
private final class CompiledRules {
    private var result: TextRuleSet??
    /// What a decision has compiled, so that it is not compiled again when it takes effect.
    var next: (added: [TextRuleDefinition], rules: TextRuleSet)?

    init(_ rules: TextRuleSet? = nil) { result = rules.map { .some($0) } }

    func rules(of table: TextRuleTable) -> TextRuleSet? {
        if let result { return result }
        let rules = try? TextRuleSet(compiling: table.sorted)
        result = .some(rules)
        return rules
    }

    /// Returns the rules that a decision has compiled, if it added these.
    func rules(after added: [TextRuleDefinition]) -> TextRuleSet? {
        guard let next, next.added.count == added.count, zip(next.added, added).allSatisfy(isSame) else { return nil }
        return next.rules
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

extension TextRuleSet {
    /// - Parameter definitions: Sorted by id.
    /// - Throws: 1031, 1032 or 1030, with the rule at fault.
    convenience init(compiling definitions: [TextRuleDefinition]) throws(Rejection) {
        let rules = try definitions.rules()
        do throws(TextRuleError) { try self.init(rules) } catch { throw Rejection(error) }
    }
}

extension [TextRuleDefinition] {
    /// - Throws: 1032 for a rule without exactly one kind of content.
    fileprivate func rules() throws(Rejection) -> [TextRule] {
        var rules: [TextRule] = []
        rules.reserveCapacity(count)
        for definition in self { rules.append(try TextRule(definition)) }
        return rules
    }
}

extension TextRule {
    fileprivate init(_ definition: TextRuleDefinition) throws(Rejection) {
        let contents: [Content?] = [
            definition.words.map { .words($0) }, definition.pattern.map { .pattern($0) },
            definition.forbiddenDomains.map { .forbiddenDomains($0) },
            definition.allowedDomains.map { .allowedDomains($0) },
        ]
        guard let content = contents.compactMap(\.self).first, contents.count(where: { $0 != nil }) == 1 else {
            throw Rejection(
                .invalidValue,
                "rule \(definition.id): needs one of words, pattern, forbidden_domains and allowed_domains")
        }
        self.init(id: definition.id, content, Action(definition.action), customTypes: definition.customTypes)
    }
}

extension TextRule.Action {
    fileprivate init(_ action: TextRuleAction) {
        self =
            switch action {
            case .refuse: .refuse
            case .mask: .mask
            case .report: .report
            }
    }
}

extension TextRuleAction {
    init(_ action: TextRule.Action) {
        self =
            switch action {
            case .refuse: .refuse
            case .mask: .mask
            case .report: .report
            }
    }
}

extension Rejection {
    /// Names the rule at fault, but not its words.
    fileprivate init(_ error: TextRuleError) {
        self =
            switch error {
            case .tooManyRules: Rejection(.tooMany, "rules: at most \(TextRuleLimits.rules)")
            case .tooManyBytes: Rejection(.tooMany, "rules: at most \(TextRuleLimits.totalBytes) bytes in total")
            case .badID: Rejection(.invalidValue, "rule id: must be 1 to \(TextRuleLimits.nameBytes) bytes")
            case .duplicateID(let id): Rejection(.invalidValue, "rule \(id): given twice")
            case .empty(let id): Rejection(.invalidValue, "rule \(id): must not be empty")
            case .tooLarge(let id): Rejection(.tooLong, "rule \(id): too many or too long entries")
            case .badWord(let id, _): Rejection(.invalidValue, "rule \(id): not a word")
            case .badPattern(let id, let reason): Rejection(.invalidValue, "rule \(id): \(reason)")
            case .matchesEmptyText(let id): Rejection(.invalidValue, "rule \(id): matches the empty text")
            case .tooBroad: Rejection(.tooMany, "rules: patterns without three letters in a row are too large together")
            case .badDomain(let id, _): Rejection(.invalidValue, "rule \(id): not a domain")
            case .outOfMemory(let id?): Rejection(.tooMany, "rules: too large together, at \(id)")
            case .outOfMemory(nil): Rejection(.tooMany, "rules: too large together")
            }
    }
}
