extension TextRuleSet {
    /// Checks all bounds before anything is compiled.
    static func check(_ rules: [TextRule]) throws(TextRuleError) {
        guard rules.count <= TextRuleLimits.rules else { throw .tooManyRules(count: rules.count) }
        var ids: Set<String> = []
        var total = 0
        for rule in rules {
            guard (1...TextRuleLimits.nameBytes).contains(rule.id.utf8.count) else { throw .badID(rule.id) }
            guard ids.insert(rule.id).inserted else { throw .duplicateID(rule.id) }
            try check(rule.content.entries, id: rule.id)
            if let customTypes = rule.customTypes {
                guard !customTypes.isEmpty else { throw .empty(id: rule.id) }
                guard customTypes.count <= TextRuleLimits.customTypesPerRule,
                    customTypes.allSatisfy({ $0.utf8.count <= TextRuleLimits.nameBytes })
                else { throw .tooLarge(id: rule.id) }
            }
            total += rule.content.entries.reduce(0) { $0 + $1.utf8.count }
            guard total <= TextRuleLimits.totalBytes else { throw .tooManyBytes(count: total) }
        }
    }

    private static func check(_ entries: [String], id: String) throws(TextRuleError) {
        guard !entries.isEmpty, !entries.contains("") else { throw .empty(id: id) }
        guard entries.count <= TextRuleLimits.entriesPerRule else { throw .tooLarge(id: id) }
    }
}

extension TextRule.Content {
    /// The words, the pattern or the domains.
    fileprivate var entries: [String] {
        switch self {
        case .words(let words): words
        case .pattern(let pattern): [pattern]
        case .forbiddenDomains(let domains), .allowedDomains(let domains): domains
        }
    }
}
