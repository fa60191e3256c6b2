/// The domains of a set's rules.
final class DomainRules: Sendable {
    /// The rules that forbid a domain.
    private let forbidding: [String: [Int]]
    /// The rules that allow one.
    private let allowing: [String: [Int]]
    /// The rules that allow only some domains.
    private let restricting: [Int]

    init?(_ rules: [TextRule]) throws(TextRuleError) {
        var (forbidding, allowing): ([String: [Int]], [String: [Int]]) = ([:], [:])
        var restricting: [Int] = []
        for (index, rule) in rules.enumerated() {
            switch rule.content {
            case .words, .pattern: continue
            case .forbiddenDomains(let domains):
                for domain in domains { forbidding[try Self.parse(domain, id: rule.id), default: []].append(index) }
            case .allowedDomains(let domains):
                restricting.append(index)
                for domain in domains { allowing[try Self.parse(domain, id: rule.id), default: []].append(index) }
            }
        }
        if forbidding.isEmpty && restricting.isEmpty { return nil }
        (self.forbidding, self.allowing, self.restricting) = (forbidding, allowing, restricting)
    }

    /// Calls `body` for each link that a rule matches; see `WordRules.forEachMatch`.
    func forEachMatch(
        in links: [Links.Link], where isWanted: (Int) -> Bool, _ body: (_ rule: Int, _ place: Range<Int>) -> Bool
    ) {
        for link in links {
            let domains = Set(link.names.flatMap(Self.domains))
            var goesOn = true
            for domain in domains {
                for rule in forbidding[domain] ?? [] where goesOn && isWanted(rule) { goesOn = body(rule, link.place) }
            }
            guard link.isCertain, !restricting.isEmpty else { continue }
            let allowed = Set(domains.flatMap { allowing[$0] ?? [] })
            for rule in restricting where goesOn && isWanted(rule) && !allowed.contains(rule) {
                goesOn = body(rule, link.place)
            }
        }
    }

    /// A domain and those above it.
    private static func domains(of name: DomainName) -> [String] {
        name.labels.indices.map { key(name.labels[$0...]) }
    }

    /// Strings compare by characters, so two spellings of an accent are equal.
    private static func key(_ labels: ArraySlice<String>) -> String { labels.joined(separator: ".") }

    private static func parse(_ domain: String, id: String) throws(TextRuleError) -> String {
        guard !domain.isEmpty else { throw .empty(id: id) }
        guard domain.utf8.count <= TextRuleLimits.domainBytes else { throw .tooLarge(id: id) }
        guard let name = DomainName(domain) else { throw .badDomain(id: id, domain: domain) }
        return key(name.labels[...])
    }
}
