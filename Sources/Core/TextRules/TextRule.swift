/// One rule of an app about the texts that its users send.
package struct TextRule: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// Whole words and phrases. `bad*` also matches words that begin with bad, `*bad` words that end with it, and `*bad*` words that
        /// contain it. Words of scripts without spaces, such as 東京, match anywhere.
        case words([String])
        /// A regular expression in the syntax of RE2. It ignores case unless it begins with `(?-i)`. `\w`, `\b` and `\d` know ASCII only, and an
        /// accent matches as one scalar with its letter; without the accent, the pattern also finds texts that have it.
        case pattern(String)
        /// Links to these domains and their subdomains.
        case forbiddenDomains([String])
        /// Links to any other domain.
        case allowedDomains([String])
    }

    /// What happens to a text that the rule matches. The order is that of precedence.
    package enum Action: Hashable, Sendable, CaseIterable {
        case refuse
        /// Replaces the matches by asterisks.
        case mask
        /// Lets the text pass and reports it.
        case report
    }

    /// Unique in its set.
    package let id: String
    package let content: Content
    package let action: Action
    /// The channels in which the rule applies, by their `custom_type`; nil for every channel of the app.
    package let customTypes: [String]?

    package init(id: String, _ content: Content, _ action: Action, customTypes: [String]? = nil) {
        self.id = id
        self.content = content
        self.action = action
        self.customTypes = customTypes
    }
}
