import ChatModel
import TextRules

/// The app's text rules, and what they compile to (`MO3`).
struct TextRuleTable {
    /// By id.
    private(set) var definitions: [String: TextRuleDefinition] = [:]
    private var compiled = CompiledRules([:], TextRuleCompiler())

    var isEmpty: Bool { definitions.isEmpty }
    /// Sorted by id.
    var sorted: [TextRuleDefinition] { definitions.values.sorted { ByteOrder.compare($0.id, $1.id) < 0 } }

    /// The compiled rules; `nil` if this program cannot compile them, although the one that set them could.
    var rules: TextRuleSet? { compiled.rules }

    /// Checks that the rules compile after a change.
    ///
    /// - Throws: 1031, 1032 or 1030, with the rule at fault.
    func check(setting new: [TextRuleDefinition] = [], removing ids: [String] = []) throws(Rejection) {
        _ = try compiled.compiler.rules(of: changed(new, ids)).get()
    }

    private func changed(_ new: [TextRuleDefinition], _ ids: [String]) -> [String: TextRuleDefinition] {
        var definitions = definitions
        for id in ids { definitions[id] = nil }
        for rule in new { definitions[rule.id] = rule }
        return definitions
    }

    // MARK: evolve

    mutating func apply(_ record: Record) {
        switch record.event {
        case .textRulesSet(let rules): change(rules, [])
        case .textRulesDeleted(let ids): change([], ids)
        default: break
        }
    }

    mutating func load(_ rules: [TextRuleDefinition]) { change(rules, []) }

    private mutating func change(_ new: [TextRuleDefinition], _ ids: [String]) {
        definitions = changed(new, ids)
        compiled = CompiledRules(definitions, compiled.compiler)
    }
}

/// Rules that are compiled when they are first needed: a replay may set them many times before anyone sends a text.
private final class CompiledRules {
    let compiler: TextRuleCompiler
    private let definitions: [String: TextRuleDefinition]
    private(set) lazy var rules: TextRuleSet? = try? compiler.rules(of: definitions).get()

    init(_ definitions: [String: TextRuleDefinition], _ compiler: TextRuleCompiler) {
        self.definitions = definitions
        self.compiler = compiler
    }
}

/// Keeps the last result, so that rules which a decision has checked are not compiled again when they take effect.
private final class TextRuleCompiler {
    private var last: (definitions: [String: TextRuleDefinition], result: Result<TextRuleSet, Rejection>)?

    func rules(of definitions: [String: TextRuleDefinition]) -> Result<TextRuleSet, Rejection> {
        if let last, last.definitions == definitions { return last.result }
        let sorted = definitions.values.sorted { ByteOrder.compare($0.id, $1.id) < 0 }
        let result = Result { () throws(Rejection) in try TextRuleSet(compiling: sorted) }
        last = (definitions, result)
        return result
    }
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
