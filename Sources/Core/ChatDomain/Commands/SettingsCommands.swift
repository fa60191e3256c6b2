import ChatModel

extension GetSettings: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> SettingsResponse {
        SettingsResponse(settings: context.settings.values)
    }
}

extension UpdateSettings: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        for row in SettingRow.table { try row.check(values) }
        let changed = SettingRow.table.contains { $0.isChange(values, context.settings) }
        return Decision(changed ? [.settingsChanged(values)] : [])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> SettingsResponse {
        SettingsResponse(settings: state.settings(over: context.settings).values)
    }
}

/// A setting that can be changed at run time, with its fields in the settings and on the wire.
private struct SettingRow: Sendable {
    let name: String
    let check: @Sendable (SettingValues) throws(Rejection) -> Void
    let isSet: @Sendable (SettingValues) -> Bool
    /// Returns whether the values change this setting.
    let isChange: @Sendable (SettingValues, ChatSettings) -> Bool
    let apply: @Sendable (SettingValues, inout ChatSettings) -> Void
    let merge: @Sendable (SettingValues, inout SettingValues) -> Void
    let export: @Sendable (ChatSettings, inout SettingValues) -> Void

    typealias Place<Value> = WritableKeyPath<ChatSettings, Value> & Sendable
    typealias Field<Value> = WritableKeyPath<SettingValues, Value?> & Sendable

    static let table: [SettingRow] = [
        .plain(.historyVisibleToNewcomers, \.historyVisibleToNewcomers, \.historyVisibleToNewcomers),
        .plain(.usersCreateChannels, \.usersCreateChannels, \.usersCreateChannels),
        .plain(.userChannelIDs, \.userChannelIDs, \.userChannelIDs),
        .plain(.distinctByCustomType, \.distinctByCustomType, \.distinctByCustomType),
        .plain(.reactions, \.reactions, \.reactions),
        .plain(.reactionsInSuperChannels, \.reactionsInSuperChannels, \.reactionsInSuperChannels),
        .number(.reactionUsersShown, 0...100, \.reactionUsersShown, \.reactionUsersShown),
        .number(.presenceMembers, 0...1_000, \.presenceMembers, \.presenceMembers),
        .number(.presenceGraceMilliseconds, 0...600_000, \.presenceGraceMilliseconds, \.presenceGraceMilliseconds),
        .number(.channelsPerUser, 1...100_000, \.channelsPerUser, \.channelsPerUser),
        .number(.invitationsPerUser, 1...100_000, \.invitationsPerUser, \.invitationsPerUser),
        .number(.channelsPerCreator, 1...1_000_000, \.channelsPerCreator, \.channelsPerCreator),
        .number(.creationsAtOnce, 1...1_000_000, \.creationsAtOnce, \.creationsAtOnce),
        .number(.creationsPerMinute, 1...1_000_000, \.creationsPerMinute, \.creationsPerMinute),
        .number(.additionsAtOnce, 1...1_000_000, \.additionsAtOnce, \.additionsAtOnce),
        .number(.additionsPerMinute, 1...1_000_000, \.additionsPerMinute, \.additionsPerMinute),
        .number(.mostRepliedUsers, 1...ThreadState.mostRepliedLimit, \.mostRepliedUsers, \.mostRepliedUsers),
        .number(.membersPerChannel, 1...100_000, \.membersPerChannel, \.membersPerChannel),
        .number(.membersPerSuperChannel, 1...1_000_000, \.membersPerSuperChannel, \.membersPerSuperChannel),
        .plain(.replyType, \.replyType, \.replyType),
        .plain(.threadReplySelect, \.threadReplySelect, \.threadReplySelect),
        .plain(.markAsUnread, \.markAsUnread, \.markAsUnread),
        .plain(.userSearch, \.userSearch, \.userSearch),
    ]

    private static func plain<Value: Equatable & Sendable>(
        _ key: SettingValues.CodingKeys, _ place: Place<Value>, _ field: Field<Value>,
        check: @escaping @Sendable (SettingValues) throws(Rejection) -> Void = { _ in }
    ) -> SettingRow {
        SettingRow(
            name: key.rawValue, check: check, isSet: { $0[keyPath: field] != nil },
            isChange: { values, settings in values[keyPath: field].map { $0 != settings[keyPath: place] } ?? false },
            apply: { values, settings in
                if let value = values[keyPath: field] { settings[keyPath: place] = value }
            },
            merge: { values, all in
                if let value = values[keyPath: field] { all[keyPath: field] = value }
            },
            export: { settings, values in values[keyPath: field] = settings[keyPath: place] })
    }

    private static func number(
        _ key: SettingValues.CodingKeys, _ range: ClosedRange<Int>, _ place: Place<Int>, _ field: Field<Int>
    ) -> SettingRow {
        plain(key, place, field) { values throws(Rejection) in
            try FieldChecks.size(values[keyPath: field], key.rawValue, range)
        }
    }
}

extension SettingValues {
    /// The names of the settings that have a value.
    var names: [String] { SettingRow.table.filter { $0.isSet(self) }.map(\.name) }

    mutating func merge(_ other: SettingValues) {
        for row in SettingRow.table { row.merge(other, &self) }
    }
}

extension ChatSettings {
    fileprivate var values: SettingValues {
        var values = SettingValues()
        for row in SettingRow.table { row.export(self, &values) }
        return values
    }

    /// The settings sent to clients at connect.
    package var client: ClientSettings {
        ClientSettings(
            replyType: replyType, threadReplySelect: threadReplySelect, markAsUnread: markAsUnread,
            reactions: reactions, userSearch: userSearch)
    }
}

extension ChatState {
    /// Returns the settings in effect: the configuration, overridden by the app's changes.
    package func settings(over configured: ChatSettings) -> ChatSettings {
        var settings = configured
        for row in SettingRow.table { row.apply(overrides, &settings) }
        return settings
    }
}
