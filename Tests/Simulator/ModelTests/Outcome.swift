import ChatModel

/// A command's result, for its caller.
enum Outcome: Equatable {
    case refused(Int)
    case user(SeenUser)
    case preferences(acceptsAtOnce: Bool)
    case channel(SeenChannel)
    case created(SeenChannel, isNew: Bool)
    case invited(SeenChannel, joined: [UserID], invited: [UserID], refused: [Refusal])
    case member(SeenMember)
    case members([SeenMember], isLast: Bool)
    case sanctions([SeenSanction], isLast: Bool)
    case message(SeenMessage)
    case messages([SeenMessage], hasPrevious: Bool, hasNext: Bool, isLast: Bool)
    case found([SeenMessage], isLast: Bool)
    case replies(to: SeenMessage, [SeenMessage], hasPrevious: Bool, hasNext: Bool)
    case reaction(MessageID, key: String?, isAdded: Bool?, by: UserID?, count: Int?, updatedAt: Int64?)
    case thread(SeenThread)
    case entry(SeenThreadEntry)
    case users([UserID], isLast: Bool)
    case people([SeenUser], isLast: Bool)
    case channels([SeenChannel], isLast: Bool)
    case threads([SeenThreadEntry], isFirst: Bool, isLast: Bool)
    case read(unreadCount: Int?, mentions: Int?, firstUnread: MessageID?, lastRead: MessageID?)
    case totals(messages: Int, mentions: Int, channels: Int, threads: Int, replies: Int)
    case receipts([UserID], readCount: Int, unreadCount: Int, isLast: Bool)
    case revoked(SeenUser, before: Int64)
    case brought([SeenChannel], created: [ChannelID], refused: [ChannelRefusal])
    case added(SeenChannel, joined: [UserID], refused: [Refusal])
    case blocked([SeenUser], isBlocked: Bool)
    case count(Int)
    /// The answer is not compared; what it changes is.
    case done
    case hook(MessageHook?)
    case emojis([String])
    case emoji(String)
    case retention(ChannelID)
    case exported([String])
    /// A response unknown to the model.
    case unknown(String)

    struct Refusal: Equatable {
        var user: UserID
        var code: Int
    }

    struct ChannelRefusal: Equatable {
        var channel: ChannelID
        var code: Int
    }

    init(answer: Any) {
        switch answer {
        case let answer as UpsertUsers.Response: self = .people(answer.users.map { SeenUser($0) }, isLast: true)
        case let answer as RevokeTokens.Response: self = .revoked(SeenUser(answer.user), before: answer.before)
        case let answer as AddMembers.Response:
            self = .added(
                SeenChannel(answer.channel), joined: answer.joined,
                refused: answer.refused.map { Refusal(user: $0.userID, code: $0.code) })
        case let answer as SetRetention.Response: self = .retention(answer.channelID)
        case let answer as UpsertChannels.Response:
            self = .brought(
                answer.channels.map { SeenChannel($0) }, created: answer.created,
                refused: answer.refused.map { ChannelRefusal(channel: $0.channelID, code: $0.code) })
        case let answer as UserResponse: self = .user(SeenUser(answer.user))
        case let answer as UpdatePreferences.Response:
            self = .preferences(acceptsAtOnce: answer.autoAcceptInvitations)
        case let answer as ChannelResponse: self = .channel(SeenChannel(answer.channel))
        case let answer as CreateChannel.Response:
            self = .created(SeenChannel(answer.channel), isNew: answer.created)
        case let answer as InviteToChannel.Response:
            self = .invited(
                SeenChannel(answer.channel), joined: answer.joined, invited: answer.invited,
                refused: answer.refused.map { Refusal(user: $0.userID, code: $0.code) })
        case let answer as MemberResponse: self = .member(SeenMember(answer.member))
        case let answer as MembersResponse: self = .members(answer.members.map { SeenMember($0) }, isLast: true)
        case let answer as ListOperators.Response:
            self = .members(answer.operators.map { SeenMember($0) }, isLast: answer.next == nil)
        case let answer as ListMembers.Response:
            self = .members(answer.members.map { SeenMember($0) }, isLast: answer.next == nil)
        case let answer as ListBanned.Response:
            self = .sanctions(answer.bans.map { SeenSanction($0) }, isLast: answer.next == nil)
        case let answer as ListMuted.Response:
            self = .sanctions(answer.mutes.map { SeenSanction($0) }, isLast: answer.next == nil)
        case let answer as AppSanctionResponse: self = .sanctions([SeenSanction(answer.sanction)], isLast: true)
        case is SetRole.Response: self = .done
        case let answer as HookResponse: self = .hook(answer.hook)
        case let answer as SetTextRules.Response: self = .count(answer.count)
        case let answer as BlockResponse:
            self = .blocked([SeenUser(answer.block.user)], isBlocked: answer.block.isBlocked)
        case let answer as ListBlocked.Response:
            self = .people(answer.blocked.map { SeenUser($0.user) }, isLast: answer.next == nil)
        case let answer as MessageResponse: self = .message(SeenMessage(answer.message))
        case let answer as ListMessages.Response:
            self = .messages(
                answer.messages.map { SeenMessage($0) }, hasPrevious: answer.hasPrevious, hasNext: answer.hasNext,
                isLast: answer.next == nil)
        case let answer as SearchMessages.Response:
            self = .found(answer.messages.map { SeenMessage($0) }, isLast: answer.next == nil)
        case let answer as ListReplies.Response:
            self = .replies(
                to: SeenMessage(answer.parent), answer.replies.map { SeenMessage($0) },
                hasPrevious: answer.hasPrevious, hasNext: answer.hasNext)
        case let answer as ThreadResponse: self = .thread(SeenThread(answer.thread))
        case let answer as ThreadEntry: self = .entry(SeenThreadEntry(answer))
        case let answer as ReactionResponse:
            self.init(answer.reaction)
        case let answer as ListReactionUsers.Response:
            self = .users(answer.users.map(\.id), isLast: answer.next == nil)
        case let answer as UsersResponse: self = .people(answer.users.map { SeenUser($0) }, isLast: answer.next == nil)
        case let answer as ChannelsResponse:
            self = .channels(answer.channels.map { SeenChannel($0) }, isLast: answer.next == nil)
        case let answer as ListThreads.Response:
            self = .threads(
                answer.threads.map { SeenThreadEntry($0) }, isFirst: answer.prev == nil, isLast: answer.next == nil)
        case let answer as ReadResponse:
            self.init(answer.read)
        case let answer as UnreadResponse:
            self.init(answer.unread)
        case let answer as ListReceipts.Response:
            self = .receipts(
                answer.users.map(\.id), readCount: answer.readCount, unreadCount: answer.unreadCount,
                isLast: answer.next == nil)
        case let answer as ListEmojis.Response: self = .emojis(answer.emojis.map(\.key))
        case let answer as EmojiResponse: self = .emoji(answer.emoji.key)
        case let answer as ExportResponse: self.init(answer)
        default: self = .unknown("\(type(of: answer))")
        }
    }
}

extension Outcome {
    init(_ reaction: ReactionChange) {
        self = .reaction(
            reaction.messageID, key: reaction.key, isAdded: reaction.operation.map { $0 == .add },
            by: reaction.userID, count: reaction.count, updatedAt: reaction.updatedAt)
    }

    init(_ read: ReadState) {
        self = .read(
            unreadCount: read.unreadCount, mentions: read.unreadMentionCount,
            firstUnread: read.firstUnreadMessageID, lastRead: read.lastRead.messageID)
    }

    init(_ unread: UnreadTotals) {
        self = .totals(
            messages: unread.unreadCount, mentions: unread.unreadMentionCount, channels: unread.unreadChannelCount,
            threads: unread.unreadThreadCount, replies: unread.unreadReplyCount)
    }
}
