extension TextRuleSet {
    /// How often a masked text is masked again, because an asterisk separates words and so may leave a new match.
    private static let roundLimit = 4

    /// Masks the matches of all rules that mask.
    ///
    /// - Returns: The text, and the indices of the rules; nil without memory.
    func mask(_ text: String, customType: String?) -> (String, Set<Int>)? {
        var text = text
        var masking: Set<Int> = []
        for _ in 0..<Self.roundLimit {
            var forms = TextForms(text)
            guard let matched = matchedRules(of: &forms, customType: customType) else { return nil }
            let rules = matched.filter { self.rules[$0].action == .mask }
            guard !rules.isEmpty else { break }
            guard let places = places(of: rules, in: &forms) else { return nil }
            let masked = Mask.apply(places, to: text)
            // A pattern may match asterisks.
            guard masked != text else { break }
            masking.formUnion(rules)
            text = masked
        }
        return (text, masking)
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
