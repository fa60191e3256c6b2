import ChatModel
import WireProtocol

extension ListPublicChannels: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        try FieldChecks.metadataKey(metadataKey, isNeeded: order == .metadataValue)
        let name = try NameFilter(nameContains)
        let withEmpty = includeEmpty ?? false
        let candidates = membership == .joined ? try state.actingUser(context).joinedChannels : state.publicChannels
        let places = candidates.lazy.compactMap { id -> ChannelPlace? in
            guard let channel = state.channels[id], channel.isPublic, withEmpty || channel.newestStanding != nil,
                name.accepts(channel)
            else { return nil }
            return place(of: channel)
        }
        let viewer = context.caller.user
        let page = try ChannelPlace.page(of: places, limit: limit, next: next, filterHash: filterHash(viewer))
        return Response(
            channels: page.places.compactMap { place in
                state.channels[place.id].map { state.view(of: $0, for: viewer, at: context.now) }
            }, next: page.next)
    }

    private func place(of channel: ChannelState) -> ChannelPlace {
        switch order ?? .created {
        case .created: .time(channel.createdAt, channel.id)
        case .name: .text(channel.sortKey, channel.id)
        case .metadataValue: .text(metadataKey.flatMap { channel.metadata[$0] }, channel.id)
        }
    }

    private func filterHash(_ viewer: UserID?) -> UInt64 {
        var hash = StableHash()
        let words = [
            Self.method, viewer?.rawValue, (order ?? .created).rawValue, metadataKey,
            (includeEmpty ?? false).description, nameContains, (membership ?? .all).rawValue,
        ]
        for word in words { hash.combine(word) }
        return hash.value
    }
}
