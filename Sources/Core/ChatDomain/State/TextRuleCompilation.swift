import ChatModel
import TextRules

/// Rules to be compiled. It takes milliseconds to a second, on any queue.
package struct TextRuleCompilation: Sendable {
    enum Purpose {
        /// To check texts against them.
        case table
        /// To check that these can be added to them.
        case added([TextRuleDefinition])
        /// To try these alone.
        case alone([TextRuleDefinition])
    }

    let purpose: Purpose
    private let table: [String: TextRuleDefinition]
    let version: UInt64

    /// - Parameters:
    ///   - table: The rules that are in effect, by id.
    ///   - version: That of the table.
    init(_ purpose: Purpose, _ table: [String: TextRuleDefinition], _ version: UInt64) {
        self.purpose = purpose
        self.table = table
        self.version = version
    }

    package func run() -> CompiledTextRules {
        CompiledTextRules(
            compilation: self, result: Result { () throws(Rejection) in try TextRuleSet(compiling: definitions) })
    }

    private var definitions: [TextRuleDefinition] {
        switch purpose {
        case .table: return Self.sorted(table.values)
        case .alone(let rules): return Self.sorted(rules)
        case .added(let rules):
            var table = table
            for rule in rules { table[rule.id] = rule }
            return Self.sorted(table.values)
        }
    }

    /// Sorted by id.
    static func sorted(_ rules: some Sequence<TextRuleDefinition>) -> [TextRuleDefinition] {
        rules.sorted { ByteOrder.compare($0.id, $1.id) < 0 }
    }

    /// Returns whether both compile the same rules for the same check or trial.
    func isSame(_ other: TextRuleCompilation) -> Bool {
        switch (purpose, other.purpose) {
        case (.added(let a), .added(let b)): version == other.version && Self.areSame(a, b)
        case (.alone(let a), .alone(let b)): Self.areSame(a, b)
        default: false
        }
    }

    private static func areSame(_ a: [TextRuleDefinition], _ b: [TextRuleDefinition]) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { ChatDomain.isSame($0, $1) }
    }
}

/// What rules were compiled to.
package struct CompiledTextRules: Sendable {
    let compilation: TextRuleCompilation
    let result: Result<TextRuleSet, Rejection>
}

extension TextRuleSet {
    /// - Parameter definitions: Sorted by id.
    /// - Throws: 1031, 1032 or 1030, with the rule at fault.
    fileprivate convenience init(compiling definitions: [TextRuleDefinition]) throws(Rejection) {
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
