// Compiled together with Sources/Core/TextRules by Tests/fuzz.
//
//     lines: a rule each | the last one is the text
//     rule:  `w`, `p`, `d` or `a` for words, a pattern, forbidden and allowed domains | `r`, `m` or `x` for refuse, mask and report |
//            the entries, separated by commas

/// Rules either are refused or decide about every text, and a text that they masked passes them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTextRules(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    let lines = String(decoding: input, as: UTF8.self).split(
        separator: "\n", maxSplits: 8, omittingEmptySubsequences: false)
    guard let text = lines.last.map(String.init) else { return 0 }
    let rules = lines.dropLast().enumerated().compactMap { rule(String($0.element), id: "\($0.offset)") }
    guard let set = try? TextRuleSet(rules) else { return 0 }
    let findings = set.findings(in: text, customType: nil)
    switch set.verdict(of: text, customType: nil) {
    case .allowed: precondition(findings?.isEmpty ?? true, "a text that some rule matches is allowed")
    case .reported(let ids): precondition(!ids.isEmpty, "nothing is reported")
    case .refused(let id): precondition(rules.contains { $0.id == id }, "an unknown rule refuses")
    case .outOfMemory: break
    case .masked(let masked, let ids, _):
        precondition(masked != text && !ids.isEmpty, "nothing is masked")
        switch set.verdict(of: masked, customType: nil) {
        case .refused: preconditionFailure("the masked text is refused")
        // A pattern may match asterisks.
        case .masked(let again, _, _): precondition(again == masked, "the masked text is masked again")
        case .allowed, .reported, .outOfMemory: break
        }
    }
    for finding in findings ?? [] {
        precondition(finding.ranges.allSatisfy { $0.upperBound <= text.utf16.count }, "a place outside the text")
        precondition(
            zip(finding.ranges, finding.ranges.dropFirst()).allSatisfy { $0.lowerBound <= $1.lowerBound },
            "the places are not in order")
    }
    return 0
}

private func rule(_ line: String, id: String) -> TextRule? {
    let action: TextRule.Action
    switch line.dropFirst().first {
    case "r": action = .refuse
    case "m": action = .mask
    case "x": action = .report
    default: return nil
    }
    let content = String(line.dropFirst(2))
    let entries = content.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    switch line.first {
    case "w": return TextRule(id: id, .words(entries), action)
    case "p": return TextRule(id: id, .pattern(content), action)
    case "d": return TextRule(id: id, .forbiddenDomains(entries), action)
    case "a": return TextRule(id: id, .allowedDomains(entries), action)
    default: return nil
    }
}
