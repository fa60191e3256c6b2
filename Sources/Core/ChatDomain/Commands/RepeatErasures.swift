import ChatModel

/// Repeats deletions that a chat restored from an older backup does not know (`PR1`). Not in the command table: a node of
/// a cluster sends what its ledger has to the node that decides.
package struct RepeatErasures: Change {
    package struct Response: Codable, Sendable {}
    package static let method = "user.repeat_deletions"
    /// The greatest number of deletions in one command, and the longest list that is decoded.
    package static let limit = FieldLimits.idsPerCommand

    private let deletions: [Deletion]

    package init(_ erased: some Sequence<ErasedUser>) { deletions = erased.prefix(Self.limit).map(Deletion.init) }

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        guard deletions.count <= Self.limit else { throw Rejection(.tooMany, "deletions") }
        // The node that decides may know them from another ledger.
        return Decision(state.repeating(deletions.compactMap(\.erased)))
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response { Response() }

    private struct Deletion: Codable, Sendable {
        /// In hexadecimal: it needs all 64 bits.
        let key: String
        let alias: UserID
        let before: Int64
        let deletesMessages: Bool

        enum CodingKeys: String, CodingKey {
            case key, alias, before
            case deletesMessages = "deletes_messages"
        }

        init(_ erased: ErasedUser) {
            key = String(erased.key, radix: 16)
            (alias, before, deletesMessages) = (erased.alias, erased.before, erased.deletesMessages)
        }

        /// `nil` for what no node sends.
        var erased: ErasedUser? {
            guard alias.isDeleted, let key = UInt64(key, radix: 16) else { return nil }
            return ErasedUser(key: key, alias: alias, before: before, deletesMessages: deletesMessages)
        }
    }
}
