import ChatModel

extension ListChannels: SlicedQuery {
    struct Progress {
        var list: ListProgress<ChannelID, ChannelPlace>
        fileprivate let filter: Filter
        let metadataKey: MetadataKey?
    }

    func start(in state: ChatState, _ context: Context) throws(Rejection) -> Progress {
        let user = try state.actingUser(context)
        try checkFields()
        let filter = try Filter(self, me: user.id)
        let joined = memberState == .invited ? [] : state.channels(of: user)
        let invited = memberState == .joined ? [] : Array(user.invitations.keys)
        let collector = try PageCollector<ChannelPlace>(limit: limit, next: next, filterHash: filterHash(user.id))
        return Progress(
            list: ListProgress(joined + invited, collector, context), filter: filter,
            metadataKey: metadataKey.map(MetadataKey.init))
    }

    func advance(
        _ progress: inout Progress, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        let me = try state.actingUser(context).id
        let (filter, key) = (progress.filter, progress.metadataKey)
        let isDone = progress.list.scan(context) { id in
            guard let channel = state.channels[id], channel.includes(me) else { return nil }
            context.work.charge(2 * WorkCost.entry + filter.comparisons * WorkCost.entry / 2)
            let member = channel.members[me]
            return filter.accepts(channel, member, context.work) ? place(of: channel, member, for: me, key) : nil
        }
        guard isDone else { return nil }
        let page = progress.list.collector.page(context) { place in
            state.channels[place.id].map { state.view(of: $0, for: me, at: context.now) }
        }
        return Response(channels: page.views, next: page.next)
    }

    private func checkFields() throws(Rejection) {
        try FieldChecks.metadataKey(metadataKey, isNeeded: order == .metadataValue)
        try FieldChecks.ids(userIDsExact, "user_ids_exact")
        try FieldChecks.filterValues(userIDsInclude?.count, "user_ids_include")
        try FieldChecks.filterValues(customTypes?.count, "custom_types")
        for type in customTypes ?? [] {
            try FieldChecks.bytes(type, "custom_types", atMost: FieldLimits.customTypeBytes)
        }
    }

    private func place(
        of channel: ChannelState, _ member: ChannelState.MemberState?, for user: UserID, _ key: MetadataKey?
    ) -> ChannelPlace {
        switch order ?? .latestMessage {
        case .created: .time(channel.createdAt, channel.id)
        case .latestMessage: .time(latest(in: channel, member, for: user), channel.id)
        case .name: .text(channel.sortKey, channel.id)
        case .metadataValue: .text(key.flatMap { channel.metadata(of: $0) }, channel.id)
        }
    }

    /// Returns the time of the latest activity in the channel that is visible to the user.
    private func latest(in channel: ChannelState, _ member: ChannelState.MemberState?, for user: UserID) -> Int64 {
        guard let member else { return channel.invitations[user]?.at ?? channel.createdAt }
        let newest = channel.newestInChannel(visibleFrom: member.visibleFrom)
        return newest.map { channel.messages.createdAt(at: $0) } ?? member.joinedAt
    }

    private func filterHash(_ user: UserID) -> UInt64 {
        var hash = StableHash()
        let fields = [
            Self.method, user.rawValue, (order ?? .latestMessage).rawValue, metadataKey,
            (includeEmpty ?? false).description, (memberState ?? .all).rawValue, (hiddenState ?? .unhidden).rawValue,
            (userIDsQuery ?? .and).rawValue, nameContains, (unreadOnly ?? false).description, isPublic?.description,
            isSuper?.description, isDistinct?.description,
        ]
        for field in fields { hash.combine(field) }
        for list in [userIDsExact?.map(\.rawValue), userIDsInclude?.map(\.rawValue), customTypes] {
            hash.combine(list?.count.description)
            for field in list ?? [] { hash.combine(field) }
        }
        return hash.value
    }
}

private struct Filter {
    private let request: ListChannels
    private let me: UserID
    private let name: NameFilter
    private let customTypes: Set<ByteText>?
    private let exact: Set<UserID>?

    init(_ request: ListChannels, me: UserID) throws(Rejection) {
        self.request = request
        self.me = me
        name = try NameFilter(request.nameContains)
        customTypes = request.customTypes.map { Set($0.map(ByteText.init)) }
        exact = request.userIDsExact.map { Set($0 + [me]) }
    }

    /// The maximum number of users to look up in each channel.
    var comparisons: Int { min(exact?.count ?? 0, 100) + (request.userIDsInclude?.count ?? 0) }

    /// Returns whether the channel matches all filters; checks cheap ones first.
    ///
    /// - Parameter member: The caller's membership; `nil` if they are only invited.
    func accepts(_ channel: ChannelState, _ member: ChannelState.MemberState?, _ work: WorkMeter) -> Bool {
        isOfKind(channel) && isInHiddenState(channel, member) && hasContent(channel, member) && hasPeople(channel)
            && name.accepts(channel, work) && isUnread(channel)
    }

    private func isOfKind(_ channel: ChannelState) -> Bool {
        if let isPublic = request.isPublic, isPublic != channel.isPublic { return false }
        if let isSuper = request.isSuper, isSuper != channel.isSuper { return false }
        if let isDistinct = request.isDistinct, isDistinct != (channel.distinctKey != nil) { return false }
        guard let customTypes else { return true }
        return channel.customType.map { customTypes.contains(ByteText($0)) } ?? false
    }

    private func isInHiddenState(_ channel: ChannelState, _ member: ChannelState.MemberState?) -> Bool {
        let state = member == nil ? .unhidden : channel.hiddenState(of: me)
        return switch request.hiddenState ?? .unhidden {
        case .unhidden: state == .unhidden
        case .hidden: state != .unhidden
        case .hiddenAllowAutoUnhide: state == .hiddenAllowAutoUnhide
        case .hiddenPreventAutoUnhide: state == .hiddenPreventAutoUnhide
        case .all: true
        }
    }

    /// Returns whether the channel has a visible message. An invitation is listed although the user sees no message yet
    /// (`CH8`).
    private func hasContent(_ channel: ChannelState, _ member: ChannelState.MemberState?) -> Bool {
        guard !(request.includeEmpty ?? false), let member else { return true }
        return channel.newestInChannel(visibleFrom: member.visibleFrom) != nil
    }

    private func hasPeople(_ channel: ChannelState) -> Bool {
        if let exact {
            guard channel.memberCount == exact.count, exact.allSatisfy(channel.includes) else { return false }
        }
        guard let included = request.userIDsInclude else { return true }
        return switch request.userIDsQuery ?? .and {
        case .and: included.allSatisfy(channel.includes)
        case .or: included.contains(where: channel.includes)
        }
    }

    private func isUnread(_ channel: ChannelState) -> Bool {
        guard request.unreadOnly ?? false else { return true }
        return channel.unreadCount(of: me) > 0
    }
}
