import Testing
import TextRules

@Suite struct DomainRuleTests {
    private func matches(_ content: TextRule.Content, _ text: String) throws -> Bool {
        let set = try TextRuleSet([TextRule(id: "r", content, .refuse)])
        return set.verdict(of: text, customType: nil) == .refused("r")
    }

    @Test(arguments: [
        "https://evil.com", "http://evil.com/", "HTTPS://EVIL.COM", "evil.com", "Evil.Com", "www.evil.com",
        "a.b.evil.com",
        "see evil.com.", "(evil.com)", "evil.com:8080", "https://evil.com:443/a?b#c", "https://user:pw@evil.com/",
        "https://good.com@evil.com/", "https://evil.com./", "evil.com./x", "//evil.com", "ftp://evil.com",
        "app://evil.com/x",
        "https:evil.com", "https:/evil.com", #"https:\\evil.com"#, #"https://evil.com\@good.com"#,
        "https://evil.com?@good.com",
        "https://evil.com#@good.com", "evil。com", "ｅｖｉｌ．ｃｏｍ", "evil｡com", "ev\u{200B}il.c\u{AD}om", "evil\u{200D}.com",
        "https\u{200B}://evil.com", "https：//evil.com", "𝐞𝐯𝐢𝐥.com", "https://%65vil.com", "https://ev%69l%2Ecom/x",
        "看evil.com好吗", "来evil.com，好", "“evil.com”", "[x](https://evil.com)", "<https://evil.com>", "evil.com/a.b/c",
        "https://good.com/?u=https://evil.com", "seehttps://evil.com", "x:evil.com", "a,evil.com,b", "evil.com…",
        "-evil.com-",
        "ⓔⓥⓘⓛ.com", "evil․com", "wss://evil.com", "https://evil.com...", "https://evil.com)!", "http:evil.com",
    ])
    func `MO3: a link to a forbidden domain is found`(text: String) throws {
        #expect(try matches(.forbiddenDomains(["evil.com"]), text))
    }

    @Test(arguments: [
        "", "evil", "evil com", "notevil.com", "evil.com.example", "evil.comm", "evil.co", "me@evil.com",
        "me@mail.evil.com",
        "https://good.com/evil.com", "evil.com@good.com", "@evil.com", "evil..com", "com.evil", "https://good.com",
        "https://evil-com.net", "mailto:me@evil.com",
        // Known not to be found.
        "evil dot com", "evil . com", "evil[.]com", "https://bit.ly/3evil", "еvil.com", "http://3232235521/",
    ])
    func `MO3: a text without a link to a forbidden domain passes`(text: String) throws {
        #expect(try !matches(.forbiddenDomains(["evil.com"]), text))
    }

    @Test(arguments: [
        ("bücher.example", "https://xn--bcher-kva.example", true), ("xn--bcher-kva.example", "BÜCHER.example/x", true),
        ("bücher.example", "bu\u{308}cher.example", true), ("bucher.example", "bücher.example", false),
        ("пример.рф", "http://xn--e1afmkfd.xn--p1ai/", true), ("例子.中国", "看 例子.中国 吧", true),
        ("xn--.example", "https://xn--.example", true),
        ("xn--zzzzzzzz99999.example", "xn--zzzzzzzz99999.example", true),
        ("com", "https://example.com", true), ("localhost", "http://localhost:80", true),
        ("localhost", "localhost", false),
        ("EXAMPLE.com.", "example.com", true), ("1.2.3.4", "http://1.2.3.4/", true),
        ("a_b.example", "a_b.example/", true),
    ])
    func `MO3: names in Punycode and in letters are the same`(domain: String, text: String, isHit: Bool) throws {
        #expect(try matches(.forbiddenDomains([domain]), text) == isHit)
    }

    @Test(arguments: [
        ("https://example.com", false), ("http://docs.example.com/x", false), ("example.com and example.org", false),
        ("no links here", false), ("well...fine.Really", false), ("readme.swift v1.2.3 e.g. 10.30", false),
        ("me@other.com", false), ("other.com", true), ("https://other.com", true), ("other.unknowntld", false),
        ("https://other.unknowntld", true), ("www.other.unknowntld", true), ("other.unknowntld/path", true),
        ("https://example.com other.net", true), ("https://example.com@other.com", true), ("http://[::1]/", true),
        ("http://localhost", true), ("http://10.0.0.1", true), ("10.0.0.1:80", true), ("10.0.0.1", false),
        ("notexample.com", true), ("https://example.com/readme.md", false), ("https://example.com.evil.net", true),
        ("http://3232235521/", true), ("https://ex\u{200B}ample.com", false), ("еxample.com", true), ("t.me/x", true),
        ("https://", false), ("://", false), ("http://?", false), ("看example.com好", false), ("看other.com好", true),
        ("https://example.com/?u=http://other.com", true),
    ])
    func `MO3: a link to a domain that is not allowed is found`(text: String, isHit: Bool) throws {
        #expect(try matches(.allowedDomains(["example.com", "example.org"]), text) == isHit)
    }

    @Test(arguments: [
        "https://evil.com", "*.evil.com", "evil..com", ".", ".evil.com", "evil.com/x", "evil com", "me@evil.com",
        "evil.com:80",
        "a..", "evil.com..",
    ])
    func `MO3: something that is no domain is refused`(domain: String) {
        #expect(throws: TextRuleError.badDomain(id: "r", domain: domain)) {
            try matches(.forbiddenDomains([domain]), "")
        }
        #expect(throws: TextRuleError.badDomain(id: "r", domain: domain)) { try matches(.allowedDomains([domain]), "") }
    }

    @Test func `MO3: a masked link is masked with its path, but not the end of the sentence`() throws {
        let set = try TextRuleSet([TextRule(id: "r", .forbiddenDomains(["evil.com"]), .mask)])
        #expect(
            set.verdict(of: "See https://evil.com/a?b=c, or ok.com!", customType: nil)
                == .masked("See **********************, or ok.com!", rules: ["r"], reports: []))
        #expect(
            set.verdict(of: "(https://evil.com) é🎉", customType: nil)
                == .masked("(****************) é🎉", rules: ["r"], reports: []))
    }
}
