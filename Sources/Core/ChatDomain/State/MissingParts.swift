/// What an attempt to decide or to answer lacked: it is not in memory, and getting it takes too long for the queue of the
/// state. Another attempt finds it there.
package struct MissingParts: Sendable {
    package var blocks: [BlockReference]
    package var rules: TextRuleCompilation?

    package init(blocks: [BlockReference] = [], rules: TextRuleCompilation? = nil) {
        self.blocks = blocks
        self.rules = rules
    }

    package var isEmpty: Bool { blocks.isEmpty && rules == nil }
}

extension ChatState {
    /// Begins an attempt, which `endAttempt` ends.
    package func beginAttempt() {
        blocks.beginAttempt()
        textRules.beginAttempt()
    }

    /// - Returns: What the attempt lacked. Its result is worthless unless that is nothing.
    package func endAttempt() -> MissingParts {
        MissingParts(blocks: blocks.endAttempt(), rules: textRules.endAttempt())
    }

    /// Adds rules that an attempt lacked.
    package func add(_ rules: CompiledTextRules) { textRules.add(rules) }
}
