import ChatModel

extension ListPublicChannels: SlicedQuery {
    struct Progress {
        var list: ListProgress<ChannelID, ChannelPlace>
        let name: NameFilter
        let metadataKey: MetadataKey?
    }

    func start(in state: ChatState, _ context: Context) throws(Rejection) -> Progress {
        try FieldChecks.metadataKey(metadataKey, isNeeded: order == .metadataValue)
        let name = try NameFilter(nameContains)
        let candidates =
            membership == .joined
            ? Array(try state.actingUser(context).joinedChannels) : state.publicChannels.keys
        let collector = try PageCollector<ChannelPlace>(
            limit: limit, next: next, filterHash: filterHash(context.caller.user))
        return Progress(
            list: ListProgress(candidates, collector, context), name: name,
            metadataKey: metadataKey.map(MetadataKey.init))
    }

    func advance(
        _ progress: inout Progress, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        let (withEmpty, name, key) = (includeEmpty ?? false, progress.name, progress.metadataKey)
        let isDone = progress.list.scan(context) { id in
            context.work.charge(WorkCost.entry)
            guard let channel = state.channels[id], channel.isPublic, withEmpty || channel.newestInChannel != nil,
                name.accepts(channel, context.work), matchesMembership(channel, in: state, context)
            else { return nil }
            return place(of: channel, key)
        }
        guard isDone else { return nil }
        let page = progress.list.collector.page(context) { place in
            state.channels[place.id].map { state.view(of: $0, for: context.caller.user, at: context.now) }
        }
        return Response(channels: page.views, next: page.next)
    }

    /// Checks the membership, because a user's list may contain a channel that they have left since.
    private func matchesMembership(_ channel: ChannelState, in state: ChatState, _ context: Context) -> Bool {
        guard membership == .joined, let user = context.caller.user else { return true }
        return state.isStillMember(user, of: channel)
    }

    private func place(of channel: ChannelState, _ key: MetadataKey?) -> ChannelPlace {
        switch order ?? .created {
        case .created: .time(channel.createdAt, channel.id)
        case .name: .text(channel.sortKey, channel.id)
        case .metadataValue: .text(key.flatMap { channel.metadata(of: $0) }, channel.id)
        }
    }

    private func filterHash(_ viewer: UserID?) -> UInt64 {
        var hash = StableHash()
        let fields = [
            Self.method, viewer?.rawValue, (order ?? .created).rawValue, metadataKey,
            (includeEmpty ?? false).description, nameContains, (membership ?? .all).rawValue,
        ]
        for field in fields { hash.combine(field) }
        return hash.value
    }
}
