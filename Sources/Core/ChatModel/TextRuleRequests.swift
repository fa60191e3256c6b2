/// What happens to a text that a rule matches (`MO3`).
public enum TextRuleAction: String, Codable, Sendable, CaseIterable {
    /// Refuses it (1050), replaces the matches by asterisks, or lets it pass and reports it.
    case refuse, mask, report
}

/// A rule about the texts that users send (`MO3`). It has exactly one of `words`, `pattern`, `forbiddenDomains` and
/// `allowedDomains`.
public struct TextRuleDefinition: Codable, Hashable, Sendable {
    /// The rule's id: 1–128 bytes.
    public var id: String
    /// Whole words and phrases, in any case; `bad*`, `*bad` and `*bad*` also match parts. At most 250 of 256 bytes.
    public var words: [String]?
    /// A regular expression in the syntax of RE2, which ignores case: at most 1,024 bytes. It must not match the empty text.
    public var pattern: String?
    /// Links to these domains and their subdomains match: at most 250.
    public var forbiddenDomains: [String]?
    /// Links to all other domains match: at most 250.
    public var allowedDomains: [String]?
    /// What happens to a matching text.
    public var action: TextRuleAction
    /// The channels in which the rule applies, by their custom type: at most 100; absent for the whole app.
    public var customTypes: [String]?

    /// Creates a value from its fields.
    public init(
        id: String, words: [String]? = nil, pattern: String? = nil, forbiddenDomains: [String]? = nil,
        allowedDomains: [String]? = nil, action: TextRuleAction, customTypes: [String]? = nil
    ) {
        self.id = id
        self.words = words
        self.pattern = pattern
        self.forbiddenDomains = forbiddenDomains
        self.allowedDomains = allowedDomains
        self.action = action
        self.customTypes = customTypes
    }

    enum CodingKeys: String, CodingKey {
        case id, words, pattern, action
        case forbiddenDomains = "forbidden_domains"
        case allowedDomains = "allowed_domains"
        case customTypes = "custom_types"
    }
}

/// Adds text rules, or replaces those with the same ids (`MO3`). Changes nothing if one of them cannot be used. At most
/// 10,000 rules. Server only.
public struct SetTextRules: Request {
    /// The response to `text_rule.set`.
    public struct Response: Codable, Hashable, Sendable {
        /// The number of rules that the app has now.
        public var count: Int
        /// Creates a response from its fields.
        public init(count: Int) { self.count = count }
    }
    /// The method name.
    public static let method = "text_rule.set"
    /// The rules: 1–250.
    public var rules: [TextRuleDefinition]

    /// Creates a `text_rule.set` request.
    public init(rules: [TextRuleDefinition]) { self.rules = rules }
}

/// Removes text rules (`MO3`). Unknown ids are ignored. Server only.
public struct DeleteTextRules: Request {
    /// The response to `text_rule.delete`.
    public typealias Response = SetTextRules.Response
    /// The method name.
    public static let method = "text_rule.delete"
    /// The ids: 1–250.
    public var ids: [String]

    /// Creates a `text_rule.delete` request.
    public init(ids: [String]) { self.ids = ids }
}

/// Lists the text rules, sorted by id (`MO3`). Server only.
public struct ListTextRules: Request {
    /// The response to `text_rule.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The rules of this page, sorted by id.
        public var rules: [TextRuleDefinition]
        /// The token of the next page; absent on the last page.
        public var next: String?
        /// Creates a response from its fields.
        public init(rules: [TextRuleDefinition], next: String? = nil) {
            self.rules = rules
            self.next = next
        }
    }
    /// The method name.
    public static let method = "text_rule.list"
    /// The maximum number of entries per page: 1–100; 30 by default.
    public var limit: Int?
    /// The token from the previous page; nil for the first.
    public var next: String?

    /// Creates a `text_rule.list` request; nil arguments are omitted.
    public init(limit: Int? = nil, next: String? = nil) {
        self.limit = limit
        self.next = next
    }
}

/// Shows what the rules, or others that are not in effect, would do with a text (`MO3`). Changes nothing. Server only.
public struct TestTextRules: Request {
    /// A rule that matches the text.
    public struct Match: Codable, Hashable, Sendable {
        /// The rule's id.
        public var ruleID: String
        /// What the rule does.
        public var action: TextRuleAction
        /// The first places in the text: start and length in UTF-16 units; at most 32.
        public var marks: [[Int]]

        /// Creates a value from its fields.
        public init(ruleID: String, action: TextRuleAction, marks: [[Int]]) {
            self.ruleID = ruleID
            self.action = action
            self.marks = marks
        }

        enum CodingKeys: String, CodingKey {
            case action, marks
            case ruleID = "rule_id"
        }
    }

    /// The response to `text_rule.test`.
    public struct Response: Codable, Hashable, Sendable {
        /// Every rule that matches, sorted by id.
        public var matches: [Match]
        /// The text as it would be stored; absent if it would be refused.
        public var text: String?
        /// Creates a response from its fields.
        public init(matches: [Match], text: String?) {
            self.matches = matches
            self.text = text
        }
    }
    /// The method name.
    public static let method = "text_rule.test"
    /// The text: at most 16,384 bytes.
    public var text: String
    /// The custom type of the channel; nil for one without.
    public var customType: String?
    /// Rules to try instead of those in effect: at most 100.
    public var rules: [TextRuleDefinition]?

    /// Creates a `text_rule.test` request; nil arguments are omitted.
    public init(text: String, customType: String? = nil, rules: [TextRuleDefinition]? = nil) {
        self.text = text
        self.customType = customType
        self.rules = rules
    }

    enum CodingKeys: String, CodingKey {
        case text, rules
        case customType = "custom_type"
    }
}
