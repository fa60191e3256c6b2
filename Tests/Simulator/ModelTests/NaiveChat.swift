import ChatDomain
import ChatModel

/// A naive model of the chat: dictionaries and lists, with everything else recomputed on each query. It shares no code
/// with the domain, and its refusals are the numbers in the protocol article.
struct NaiveChat {
    struct Rules {
        var hidesHistory = false
        var channelsPerUser = 3
        var invitationsPerUser = 2
        var channelsPerCreator = 1_000
        var mostRepliedUsers = 4
        var membersPerChannel = 4
        var membersPerSuperChannel = 5
        var distinctByCustomType = false
        var usersCreateChannels = true
        var userChannelIDs = UserChannelIDs.free
        var reactions = true
        var reactionsInSuperChannels = true
        var reactionUsersShown = 2
        var exportsOwnData = false
    }

    struct Person {
        var nickname: String
        var profileURL: String?
        var metadata: [String: String] = [:]
        var acceptsAtOnce = true
        var isActive = true
        var isAppAdmin = false
        /// Seconds.
        var revokedBefore: Int64 = 0
    }

    struct Refused: Error {
        let code: Int
    }

    let rules: Rules
    var people: [UserID: Person] = [:]
    var channels: [ChannelID: NaiveChannel] = [:]
    /// The second before which tokens of a deleted user's id are refused.
    var erasedBefore: [UserID: Int64] = [:]
    /// The bans from the app and the mutes in it, including expired ones.
    var appBans: [UserID: NaiveChannel.Sanction] = [:]
    var appMutes: [UserID: NaiveChannel.Sanction] = [:]
    var textRules: [String: TextRuleDefinition] = [:]
    var hook: MessageHook?
    /// What roles may do, by custom type; "" for all others.
    var roles: [String: [ChannelRole: [Permission]]] = [:]
    /// Whom each user blocks.
    var blocked: [UserID: [UserID]] = [:]
    var emojis = ["heart_eyes", "laughing", "rage", "sob", "sweat_smile", "thumbs_up", "thumbs_down"]
    /// The emoji keys that scripts added.
    var registered: Set<String> = []
    /// The time in milliseconds, which only advances.
    var now: Int64 = 0
    /// The id of the item that the current command creates.
    var fresh = MessageID(high: 0, low: 0)
    /// The events that each user received from the last command.
    var told: [UserID: Heard] = [:]
    /// The number of items on the previous pages of a list.
    var skipped = 0
    /// The message before which a page continues.
    var before: MessageID?

    init(rules: Rules, people: [UserID]) {
        self.rules = rules
        for id in people { self.people[id] = Person(nickname: id.rawValue) }
    }

    mutating func outcome(of request: any Request, by user: UserID?) -> Outcome {
        told = [:]
        endMessages()
        if let user, people[user]?.isActive == false { return .refused(1008) }
        if let user, user.isGuest, people[user] == nil { return .refused(101) }
        if let user, inForce(appBans[user]) != nil { return .refused(1055) }
        signUp(user)
        do throws(Refused) { return try answer(request, by: user) } catch { return .refused(error.code) }
    }

    private mutating func answer(_ request: any Request, by user: UserID?) throws(Refused) -> Outcome {
        switch request {
        case let request as UpsertUser: try upsert(request)
        case let request as UpsertUsers: try upsert(request)
        case let request as UpsertChannels: try upsert(request)
        case let request as AddMembers: try add(request)
        case let request as SetRetention: try setRetention(request)
        case let request as RevokeTokens: try revoke(request)
        case let request as AdmitGuest: try admit(request)
        case let request as DisconnectUser: try disconnect(request.userID)
        case let request as DeactivateUser: try setActive(request.userID, false)
        case let request as DeleteUser: try erase(request)
        case let request as ActivateUser: try setActive(request.userID, true)
        case let request as GetUser: try get(request, user)
        case let request as UpdatePreferences: try prefer(request, user)
        case let request as CreateChannel: try create(request, user)
        case let request as GetChannel: .channel(seen(try visible(request.channelID, user), by: user))
        case let request as JoinChannel: try join(request.channelID, user)
        case let request as AcceptInvitation: try accept(request.channelID, user)
        case let request as DeclineInvitation: try decline(request.channelID, user)
        case let request as LeaveChannel: try leave(request.channelID, user)
        case let request as InviteToChannel: try invite(request, user)
        case let request as UpdateChannel: try update(request, user)
        case let request as SetChannelMetadata: try setMetadata(request, user)
        case let request as DeleteChannelMetadata: try deleteMetadata(request, user)
        case let request as DeleteChannel: try delete(request.channelID, user)
        case let request as FreezeChannel: try freeze(request.channelID, true, user)
        case let request as UnfreezeChannel: try freeze(request.channelID, false, user)
        case let request as AddOperators: try setRoles(request.channelID, request.userIDs, .operator, user)
        case let request as RemoveOperators: try setRoles(request.channelID, request.userIDs, .member, user)
        case let request as RemoveAllOperators: try removeAllOperators(request.channelID, user)
        case let request as ListOperators: try operators(request, user)
        case let request as ListMembers: try members(request, user)
        case let request as BanMember: try ban(request, user)
        case let request as MuteMember: try mute(request, user)
        case let request as RemoveMember: try remove(request, user)
        case let request as UnbanMember: try lift(request.channelID, request.userID, \.bans, user)
        case let request as UnmuteMember: try lift(request.channelID, request.userID, \.mutes, user)
        case let request as ListBanned: try sanctions(request.channelID, request.limit, \.bans, user)
        case let request as ListMuted: try sanctions(request.channelID, request.limit, \.mutes, user)
        case let request as BlockUser: try block(request.userID, true, user)
        case let request as UnblockUser: try block(request.userID, false, user)
        case let request as ListBlocked: try blocked(request, user)
        case let request as SetRole: try set(request)
        case let request as SetHook: try set(request)
        case is GetHook: .hook(hook)
        case let request as ReplacedText<SendMessage>: try send(request.command, user, as: request.text)
        case let request as ReplacedText<UpdateMessage>: try update(request.command, user, as: request.text)
        case let request as ReplacedText<UpdateThread>: try update(request.command, user, as: request.text)
        case let request as SetTextRules: try set(request)
        case let request as DeleteTextRules: try delete(request)
        case let request as BanUser: try ban(request)
        case let request as MuteUser: try mute(request)
        case let request as UnbanUser: try lift(request.userID, \.appBans)
        case let request as UnmuteUser: try lift(request.userID, \.appMutes)
        case let request as ListBannedUsers: try sanctions(request.limit, appBans)
        case let request as ListMutedUsers: try sanctions(request.limit, appMutes)
        case let request as SendMessage: try send(request, user)
        case let request as GetMessage: try get(request, user)
        case let request as UpdateMessage: try update(request, user)
        case let request as DeleteMessage: try delete(request, user)
        case let request as ListMessages: try list(request, user)
        case let request as SearchMessages: try search(request, user)
        case let request as ListReplies: try replies(request, user)
        case let request as AddReaction: try react(request.channelID, request.messageID, request.key, true, user)
        case let request as RemoveReaction: try react(request.channelID, request.messageID, request.key, false, user)
        case let request as ListReactionUsers: try reactors(request, user)
        case let request as MarkRead: try read(request, user)
        case let request as MarkUnread: try unread(request, user)
        case let request as ResetHistory: try reset(request.channelID, user)
        case let request as HideChannel: try hide(request, user)
        case let request as UnhideChannel: try unhide(request.channelID, user)
        case let request as MarkThreadRead: try read(request, user)
        case let request as MarkThreadUnread: try unread(request, user)
        case let request as UpdateThread: try update(request, user)
        case let request as GetThread: try get(request, user)
        case is MarkAllRead: try readAll(user)
        case is GetUnreadCounts: totals(of: try person(user))
        case let request as ListReceipts: try receipts(request, user)
        case let request as ListChannels: try list(request, user)
        case let request as ListPublicChannels: try list(request, user)
        case let request as ListThreads: try list(request, user)
        case let request as ListUsers: try list(request)
        case let request as ListAllUsers: try list(request)
        case let request as ExportUser: try export(request, user)
        case let request as ExportChannel: try export(request)
        case is ListEmojis: .emojis(emojis)
        case let request as CreateEmoji: try add(request)
        case let request as DeleteEmoji: try remove(request)
        default: .unknown("\(type(of: request))")
        }
    }
}

// MARK: Who may

extension NaiveChat {
    func refuse(_ code: Int, when isSo: Bool) throws(Refused) {
        if isSo { throw Refused(code: code) }
    }

    /// Returns a page of a list.
    func page<Element>(
        of all: [Element], _ limit: Int?, usually: Int = 30
    ) throws(Refused) -> (items: [Element], isLast: Bool) {
        try refuse(1032, when: limit.map { !(1...100).contains($0) } ?? false)
        let rest = all.dropFirst(skipped)
        return (Array(rest.prefix(limit ?? usually)), rest.count <= limit ?? usually)
    }

    /// Returns the user who calls a command that only users can call.
    func person(_ user: UserID?) throws(Refused) -> UserID {
        guard let user else { throw Refused(code: 107) }
        try refuse(1000, when: people[user] == nil)
        return user
    }

    func visible(_ id: ChannelID, _ user: UserID?) throws(Refused) -> NaiveChannel {
        guard let channel = channels[id] else { throw Refused(code: 1000) }
        if let user {
            let isThere = channel.joined[user] != nil || channel.invited[user] != nil
            try refuse(1000, when: !channel.isPublic && !isThere)
        }
        return channel
    }

    func entered(_ id: ChannelID, _ user: UserID?) throws(Refused) -> NaiveChannel {
        let channel = try visible(id, user)
        if let user {
            try refuse(1002, when: channel.invited[user] != nil)
            try refuse(1001, when: channel.joined[user] == nil)
        }
        return channel
    }

    /// Returns the channel if the user has a voice in it.
    func voiced(_ id: ChannelID, _ user: UserID?) throws(Refused) -> NaiveChannel {
        let channel = try enteredUnlessBanned(id, user)
        try checkVoice(of: user, in: channel)
        return channel
    }

    /// Returns the channel if the user is a member; a banned user is refused as banned if the channel is public.
    func enteredUnlessBanned(_ id: ChannelID, _ user: UserID?) throws(Refused) -> NaiveChannel {
        let channel = try visible(id, user)
        if let user, channel.joined[user] == nil { try refuse(1003, when: inForce(channel.bans[user]) != nil) }
        return try entered(id, user)
    }

    func checkVoice(of user: UserID?, in channel: NaiveChannel) throws(Refused) {
        guard let user else { return }
        try refuse(1004, when: inForce(appMutes[user]) != nil)
        try refuse(1004, when: inForce(channel.mutes[user]) != nil)
        try refuse(1005, when: channel.isFrozen && isBelowOperators(user, in: channel))
        if let pair = channel.claim?.people, pair.count == 2, let other = pair.first(where: { $0 != user }) {
            try refuse(1052, when: isBlocked(user, by: other))
        }
    }

    /// Refuses ephemeral channels, as only stored messages can be changed.
    func checkKeeps(_ channel: NaiveChannel) throws(Refused) { try refuse(1025, when: channel.isEphemeral) }

    /// Returns the channel for a change by someone whose role has a permission, or without one by an operator.
    func governed(_ id: ChannelID, _ permission: Permission?, _ user: UserID?) throws(Refused) -> NaiveChannel {
        let channel = try enteredUnlessBanned(id, user)
        if let permission {
            try need(permission, user, in: channel, usually: 1006)
        } else if let user {
            try refuse(1006, when: isBelowOperators(user, in: channel))
        }
        try checkVoice(of: user, in: channel)
        return channel
    }

    /// Returns the channel for a query by an operator.
    func overseen(_ id: ChannelID, _ user: UserID?) throws(Refused) -> NaiveChannel {
        let channel = try entered(id, user)
        if let user { try refuse(1006, when: isBelowOperators(user, in: channel)) }
        return channel
    }

    /// Returns the code with which an invitation fails immediately; nil if it does not.
    func invitationLimit(_ user: UserID, by inviter: UserID?) -> Int? {
        if isAtMaximum(user) { return 1013 }
        // Other users cannot fill the last quarter.
        if inviter != nil, channelCount(user) * 4 >= rules.channelsPerUser * 3 { return 1013 }
        if people[user]?.acceptsAtOnce == true { return nil }
        let waiting = channels.values.filter { $0.invited[user] != nil }.count
        return waiting >= rules.invitationsPerUser ? 1031 : nil
    }

    func isAtMaximum(_ user: UserID) -> Bool { channelCount(user) >= rules.channelsPerUser }

    private func channelCount(_ user: UserID) -> Int { channels.values.filter { $0.joined[user] != nil }.count }
}
