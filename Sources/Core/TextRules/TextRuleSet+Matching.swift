extension TextRuleSet {
    /// Returns the indices of the rules that match a text; nil if RE2 ran out of memory.
    func matchedRules(of forms: inout TextForms, customType: String?) -> Set<Int>? {
        var matched: Set<Int> = []
        func isWanted(_ rule: Int) -> Bool { applies(rule, to: customType) && !matched.contains(rule) }
        func insert(_ rule: Int, _ place: Range<Int>) -> Bool {
            matched.insert(rule)
            return true
        }
        if let words, forms.isPlain ? forms.withBytes(words.mayMatch) : words.mayMatch(forms.folded) {
            words.forEachMatch(in: forms.folded, where: isWanted, insert)
        }
        if let domains, forms.withBytes(forms.isPlain ? Links.mayOccur(in:) : Links.mayOccur(inAny:)) {
            domains.forEachMatch(in: forms.links, where: isWanted, insert)
        }
        if let patterns {
            guard let found = Self.matches(of: patterns, in: &forms) else { return nil }
            for pattern in found where isWanted(patterns.rules[pattern]) { matched.insert(patterns.rules[pattern]) }
        }
        return matched
    }

    enum Continuation { case next, nextRule, stop }

    /// Calls `body` with the places of rules in a text, in bytes of UTF-8. The places of a rule are in no particular order and may occur
    /// twice.
    ///
    /// - Returns: false if RE2 ran out of memory.
    func forEachPlace(
        in forms: inout TextForms, of rules: Set<Int>, _ body: (_ rule: Int, _ place: Range<Int>) -> Continuation
    ) -> Bool {
        var finished: Set<Int> = []
        var isStopped = false
        func isWanted(_ rule: Int) -> Bool { !isStopped && rules.contains(rule) && !finished.contains(rule) }
        func visit(_ rule: Int, _ place: Range<Int>) -> Bool {
            switch body(rule, place) {
            case .next: break
            case .nextRule: finished.insert(rule)
            case .stop: isStopped = true
            }
            return !isStopped
        }
        if let words, rules.contains(where: { self.rules[$0].content.isWords }) {
            words.forEachMatch(in: forms.folded, where: isWanted, visit)
        }
        if let domains, rules.contains(where: { self.rules[$0].content.isDomains }) {
            domains.forEachMatch(in: forms.links, where: isWanted, visit)
        }
        guard let patterns, rules.contains(where: { self.rules[$0].content.isPattern }) else { return true }
        let texts = forms.isPlain ? [forms.visible] : [forms.visible, VisibleText(forms.folded)]
        for pattern in patterns.rules.indices {
            let rule = patterns.rules[pattern]
            for text in texts where isWanted(rule) {
                let isComplete = text.bytes.withUnsafeBufferPointer { bytes in
                    patterns.forEachMatch(of: pattern, in: bytes) { range in
                        visit(rule, text.original(range)) && isWanted(rule)
                    }
                }
                guard isComplete else { return false }
            }
        }
        return true
    }

    private func applies(_ rule: Int, to customType: String?) -> Bool {
        guard let scope = scopes[rule] else { return true }
        return customType.map(scope.contains) ?? false
    }

    private static func matches(of patterns: PatternRules, in forms: inout TextForms) -> [Int]? {
        if forms.isPlain { return forms.withBytes { patterns.matches(in: $0) } }
        let visible =
            forms.folded.hasInvisible
            ? forms.visible.bytes.withUnsafeBufferPointer { patterns.matches(in: $0) }
            : forms.withBytes { patterns.matches(in: $0) }
        let folded = forms.folded.bytes.withUnsafeBufferPointer { patterns.matches(in: $0) }
        guard let visible, let folded else { return nil }
        return visible + folded
    }
}

extension TextRule.Content {
    var isWords: Bool { if case .words = self { true } else { false } }
    var isPattern: Bool { if case .pattern = self { true } else { false } }
    var isDomains: Bool { !isWords && !isPattern }
}
