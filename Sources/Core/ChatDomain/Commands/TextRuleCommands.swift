import ChatModel
import TextRules

extension SetTextRules: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        guard !rules.isEmpty else { throw Rejection(.invalidValue, "rules: must not be empty") }
        guard rules.count <= FieldLimits.textRulesAtOnce else {
            throw Rejection(.tooMany, "rules: at most \(FieldLimits.textRulesAtOnce)")
        }
        guard Set(rules.map(\.id)).count == rules.count else {
            throw Rejection(.invalidValue, "rules: an id is given twice")
        }
        let new = rules.filter { rule in
            // Not `==`: a pattern tells composed from decomposed letters.
            !(state.textRules.definitions[rule.id].map { isSame($0, rule) } ?? false)
        }
        guard !new.isEmpty else { return Decision([]) }
        try state.textRules.check(setting: new)
        return Decision([.textRulesSet(new)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response { Response(count: state.textRules.definitions.count) }
}

extension DeleteTextRules: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        guard !ids.isEmpty else { throw Rejection(.invalidValue, "ids: must not be empty") }
        guard ids.count <= FieldLimits.textRulesAtOnce else {
            throw Rejection(.tooMany, "ids: at most \(FieldLimits.textRulesAtOnce)")
        }
        let gone = ids.uniqued().filter { state.textRules.definitions[$0] != nil }
        guard !gone.isEmpty else { return Decision([]) }
        return Decision([.textRulesDeleted(gone)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response { Response(count: state.textRules.definitions.count) }
}

extension ListTextRules: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        var hash = StableHash()
        hash.combine(Self.method)
        var collector = try PageCollector<RulePlace>(limit: limit, next: next, filterHash: hash.value)
        for id in state.textRules.definitions.keys {
            context.work.charge(collector.offer(RulePlace(id: id)) * id.utf8.count / WorkCost.comparedBytes)
        }
        let page = collector.page(context) { state.textRules.definitions[$0.id] }
        return Response(rules: page.views, next: page.next)
    }
}

extension TestTextRules: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        try FieldChecks.bytes(text, "text", atMost: FieldLimits.textBytes)
        try FieldChecks.bytes(customType, "custom_type", atMost: FieldLimits.customTypeBytes)
        let set = try rules(in: state)
        context.work.charge(text.utf8.count * WorkCost.ruleByte)
        guard let findings = set.findings(in: text, customType: customType) else {
            throw Rejection(.textRefused, "the rules need too much memory")
        }
        let matches = findings.map { finding in
            Match(
                ruleID: finding.rule, action: TextRuleAction(finding.action),
                marks: finding.ranges.map { [$0.lowerBound, $0.count] })
        }
        switch set.verdict(of: text, customType: customType) {
        case .allowed, .reported: return Response(matches: matches, text: text)
        case .masked(let masked, _, _): return Response(matches: matches, text: masked)
        case .refused, .outOfMemory: return Response(matches: matches, text: nil)
        }
    }

    private func rules(in state: ChatState) throws(Rejection) -> TextRuleSet {
        guard let rules else { return try state.textRules.rules() }
        guard rules.count <= FieldLimits.textRulesTried else {
            throw Rejection(.tooMany, "rules: at most \(FieldLimits.textRulesTried)")
        }
        return try state.textRules.rules(alone: rules)
    }
}

/// The place of a rule in the list.
private struct RulePlace: ListPlace {
    let id: String

    static func < (a: Self, b: Self) -> Bool { ByteOrder.compare(a.id, b.id) < 0 }
    static func == (a: Self, b: Self) -> Bool { ByteOrder.areEqual(a.id, b.id) }

    var size: Int { id.utf8.count }
    var components: [String] { [hexadecimal(id)] }

    init(id: String) { self.id = id }

    init?(components: [Substring]) {
        guard components.count == 1, let id = decodeHexadecimal(components[0]) else { return nil }
        self.id = id
    }
}
