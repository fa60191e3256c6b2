import ChatModel

extension NaiveChat {
    func list(_ request: ListChannels, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        try checkKey(request.metadataKey, isNeeded: request.order == .metadataValue)
        try refuse(1032, when: request.userIDsInclude?.isEmpty == true || request.customTypes?.isEmpty == true)
        try checkName(request.nameContains, atMost: 200)
        var all = channels.values.filter { $0.isThere(user) && matches($0, request, user) }
        let key = request.metadataKey
        switch request.order {
        case .created: all.sort { precedes((-$0.createdAt, "", $0.id), (-$1.createdAt, "", $1.id)) }
        case .name: all.sort { precedes((0, alphabetical($0.name), $0.id), (0, alphabetical($1.name), $1.id)) }
        case .metadataValue: all.sort { precedes(place($0, key), place($1, key)) }
        case .latestMessage, nil:
            all.sort { precedes((-latest(in: $0, user), "", $0.id), (-latest(in: $1, user), "", $1.id)) }
        }
        return try told(all, request.limit, user)
    }

    /// Lists public channels, whether the user is a member or not.
    func list(_ request: ListPublicChannels, _ user: UserID?) throws(Refused) -> Outcome {
        try checkKey(request.metadataKey, isNeeded: request.order == .metadataValue)
        try checkName(request.nameContains, atMost: 200)
        var all = channels.values.filter { channel in
            channel.isPublic && (request.includeEmpty == true || !standing(in: channel).isEmpty)
                && isNamed(channel, request.nameContains)
        }
        if request.membership == .joined {
            let user = try person(user)
            all = all.filter { $0.joined[user] != nil }
        }
        let key = request.metadataKey
        switch request.order {
        case .created, nil: all.sort { precedes((-$0.createdAt, "", $0.id), (-$1.createdAt, "", $1.id)) }
        case .name: all.sort { precedes((0, alphabetical($0.name), $0.id), (0, alphabetical($1.name), $1.id)) }
        case .metadataValue: all.sort { precedes(place($0, key), place($1, key)) }
        }
        return try told(all, request.limit, user)
    }

    private func told(_ all: [NaiveChannel], _ limit: Int?, _ user: UserID?) throws(Refused) -> Outcome {
        let page = try page(of: all, limit)
        return .channels(page.items.map { seen($0, by: user) }, isLast: page.isLast)
    }

    private func checkKey(_ key: String?, isNeeded: Bool) throws(Refused) {
        try refuse(1032, when: isNeeded ? (key ?? "").isEmpty : key != nil)
    }

    /// Compares by number, then by text, then by id.
    private func precedes(_ a: (Int64, String, ChannelID), _ b: (Int64, String, ChannelID)) -> Bool {
        if a.0 != b.0 { return a.0 < b.0 }
        if a.1 != b.1 { return Array(a.1.utf8).lexicographicallyPrecedes(Array(b.1.utf8)) }
        return a.2.rawValue < b.2.rawValue
    }

    /// Returns the sort key; channels without the metadata key come last.
    private func place(_ channel: NaiveChannel, _ key: String?) -> (Int64, String, ChannelID) {
        guard let value = channel.metadata[key ?? ""] else { return (1, "", channel.id) }
        return (0, value, channel.id)
    }

    /// Returns the time of the newest message visible to the user, or of the joining or invitation if there is none.
    private func latest(in channel: NaiveChannel, _ user: UserID) -> Int64 {
        guard let member = channel.joined[user] else { return channel.invited[user]?.at ?? 0 }
        guard let last = standing(in: channel).last, last >= member.hidden else { return member.at }
        return channel.messages[last].at
    }

    private func isNamed(_ channel: NaiveChannel, _ part: String?) -> Bool {
        guard let part, !part.isEmpty else { return true }
        return channel.name.lowercased().contains(part.lowercased())
    }

    private func matches(_ channel: NaiveChannel, _ request: ListChannels, _ user: UserID) -> Bool {
        let member = channel.joined[user]
        if request.memberState == .joined, member == nil { return false }
        if request.memberState == .invited, member != nil { return false }
        if let wanted = request.isPublic, wanted != channel.isPublic { return false }
        if let wanted = request.isSuper, wanted != channel.isSuper { return false }
        if let wanted = request.isDistinct, wanted != (channel.claim != nil) { return false }
        if let types = request.customTypes, !types.contains(where: { $0 == channel.customType }) { return false }
        let away = member?.away ?? .unhidden
        switch request.hiddenState {
        case .unhidden, nil: if away != .unhidden { return false }
        case .hidden: if away == .unhidden { return false }
        case .hiddenAllowAutoUnhide: if away != .hiddenAllowAutoUnhide { return false }
        case .hiddenPreventAutoUnhide: if away != .hiddenPreventAutoUnhide { return false }
        case .all: break
        }
        // An invited user sees no content, but the channel is listed anyway.
        if let member, request.includeEmpty != true {
            guard let last = standing(in: channel).last, last >= member.hidden else { return false }
        }
        let inside = Set(channel.joined.keys).union(channel.invited.keys)
        if let exact = request.userIDsExact, inside != Set(exact + [user]) { return false }
        if let some = request.userIDsInclude {
            let isThere = some.map(inside.contains)
            if request.userIDsQuery == .or ? !isThere.contains(true) : isThere.contains(false) { return false }
        }
        if request.unreadOnly == true, unread(of: user, in: channel).isEmpty { return false }
        return isNamed(channel, request.nameContains)
    }
}
