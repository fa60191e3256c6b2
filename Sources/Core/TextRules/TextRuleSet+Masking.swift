extension TextRuleSet {
    /// How often a masked text is masked again: an asterisk separates words, and so may leave a new match.
    private static let roundLimit = 4

    enum Masking {
        /// The text, and the indices of the rules that have masked it.
        case masked(String, Set<Int>)
        /// The index of a rule that refuses what masking has left.
        case refused(Int)
        case outOfMemory
    }

    /// Masks the matches of all rules that mask.
    ///
    /// - Parameters:
    ///   - forms: Those of the text.
    ///   - matched: The rules that match it.
    func mask(_ text: String, _ forms: TextForms, _ matched: Set<Int>, customType: String?) -> Masking {
        var (text, forms, matched) = (text, forms, matched)
        var masking: Set<Int> = []
        for round in 0...Self.roundLimit {
            let rules = matched.filter { self.rules[$0].action == .mask }
            guard !rules.isEmpty else { break }
            // What is left after all rounds is masked as a whole.
            let found = round < Self.roundLimit ? places(of: rules, in: &forms) : [0..<text.utf8.count]
            guard let found else { return .outOfMemory }
            let masked = Mask.apply(found, to: text)
            // A pattern may match asterisks.
            guard masked != text else { break }
            masking.formUnion(rules)
            text = masked
            forms = TextForms(text)
            guard let next = matchedRules(of: &forms, customType: customType) else { return .outOfMemory }
            if let refusing = refusing(next) { return .refused(refusing) }
            matched = next
        }
        return .masked(text, masking)
    }

    private func places(of rules: Set<Int>, in forms: inout TextForms) -> [Range<Int>]? {
        var places: [Range<Int>] = []
        let isComplete = forEachPlace(in: &forms, of: rules) { _, place in
            if places.last != place { places.append(place) }
            return places.count < TextRuleLimits.matchesPerText ? .next : .stop
        }
        guard isComplete else { return nil }
        return places.count < TextRuleLimits.matchesPerText ? places : [0..<forms.text.utf8.count]
    }
}
