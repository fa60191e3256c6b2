import ChatModel

/// A name filter shared by the lists of channels.
struct NameFilter {
    private let part: BytePattern

    /// - Throws: 1030 or 1032 if no channel can have such a name.
    init(_ text: String?) throws(Rejection) {
        try FieldChecks.name(text, "name_contains", atMost: FieldLimits.nameCodePoints)
        part = BytePattern(Array((text ?? "").lowercased().utf8))
    }

    func accepts(_ channel: ChannelState, _ work: WorkMeter) -> Bool {
        guard !part.isEmpty else { return true }
        work.charge(channel.foldedName.utf8.count * WorkCost.searchedByte)
        return part.occurs(in: channel.foldedName)
    }
}

extension FieldChecks {
    /// Requires a key if the list is sorted by metadata, and refuses one otherwise.
    static func metadataKey(_ key: String?, isNeeded: Bool) throws(Rejection) {
        guard isNeeded else {
            if key != nil { throw Rejection(.invalidValue, "metadata_key: only for order metadata_value") }
            return
        }
        guard let key, !key.isEmpty else {
            throw Rejection(.invalidValue, "metadata_key: required for order metadata_value")
        }
        try bytes(key, "metadata_key", atMost: FieldLimits.metadataKeyBytes)
    }

    /// Checks the number of values that a filter compares with every channel.
    static func filterValues(_ count: Int?, _ field: String) throws(Rejection) {
        guard let count else { return }
        guard count > 0 else { throw Rejection(.invalidValue, "\(field): must not be empty") }
        guard count <= FieldLimits.filterValues else {
            throw Rejection(.tooMany, "\(field): at most \(FieldLimits.filterValues)")
        }
    }
}

extension ChannelState {
    /// Returns the place of the newest message that appears in the channel itself, if it is at or after `visibleFrom`.
    func newestInChannel(visibleFrom: UInt64) -> Int? {
        newestInChannel.flatMap { messages.offset(at: $0) >= visibleFrom ? $0 : nil }
    }

    /// Returns whether the user is joined or invited.
    func includes(_ user: UserID) -> Bool { members[user] != nil || invitations[user] != nil }
}
