import ChatModel

// Responses reduced to the fields that the model knows, so that later fields do not matter.

struct SeenUser: Equatable {
    var id: UserID
    var nickname: String
    var profileURL: String?
    var metadata: [String: String] = [:]
    /// Included only when the user is the subject of the response.
    var isActive: Bool?
}

struct SeenChannel: Equatable {
    var id: ChannelID
    var name = ""
    var isPublic = false
    var isDistinct = false
    var isSuper = false
    var isEphemeral = false
    var isFrozen = false
    var messageSeconds: Int?
    var slowModeSeconds: Int?
    var customType: String?
    var data: String?
    var coverURL: String?
    var metadata: [String: String] = [:]
    var createdAt: Int64 = 0
    var createdBy: UserID?
    var memberCount = 0
    var joinedMemberCount = 0
    var lastMessage: SeenMessage?
    var myState: MembershipState?
    var myRole: MemberRole?
    var myJoinedAt: Int64?
    var myMutedUntil: Int64?
    var myPermissions: [Permission]?
    var unreadCount: Int?
    var unreadMentions: Int?
    var firstUnread: MessageID?
    var lastRead: MessageID?
    var away: HiddenState?
}

struct SeenMember: Equatable {
    var user: SeenUser
    var role: MemberRole
    var state: MembershipState
    var joinedAt: Int64?
    var invitedBy: UserID?
    var mutedUntil: Int64?
    var bannedUntil: Int64?
    var lastRead: MessageID?
}

struct SeenSanction: Equatable {
    var user: SeenUser
    var until: Int64
    var description: String?
    var at: Int64
    var by: UserID?
}

struct SeenMessage: Equatable {
    struct Quote: Equatable {
        var id: MessageID
        var state: MessageParent.State
        var text: String?
        var user: SeenUser?
        var createdAt: Int64?
    }

    struct Key: Equatable {
        var key: String
        var count: Int
        var users: [UserID]
        var mine: Bool
        var updatedAt: Int64
    }

    var id: MessageID
    var isAdmin: Bool
    var text: String?
    var user: SeenUser?
    var createdAt: Int64
    var updatedAt: Int64?
    var deletedAt: Int64?
    var expiresAt: Int64?
    var clientID: String?
    var parentID: MessageID?
    var replyToChannel: Bool?
    var customType: String?
    var data: String?
    var mentionType: MentionType?
    var mentioned: [UserID]?
    var quote: Quote?
    var thread: SeenThread?
    var reactions: [Key] = []
    var fromBlocked = false
}

extension SeenUser {
    init(_ user: User) {
        self.init(
            id: user.id, nickname: user.nickname, profileURL: user.profileURL, metadata: user.metadata ?? [:],
            isActive: user.isActive)
    }
}

extension SeenChannel {
    init(_ channel: Channel) {
        self.init(
            id: channel.id, name: channel.name, isPublic: channel.isPublic, isDistinct: channel.isDistinct,
            isSuper: channel.isSuper, isEphemeral: channel.isEphemeral, isFrozen: channel.isFrozen,
            messageSeconds: channel.messageSeconds, slowModeSeconds: channel.slowModeSeconds,
            customType: channel.customType, data: channel.data,
            coverURL: channel.coverURL, metadata: channel.metadata ?? [:], createdAt: channel.createdAt,
            createdBy: channel.createdBy, memberCount: channel.memberCount,
            joinedMemberCount: channel.joinedMemberCount, lastMessage: channel.lastMessage.map { SeenMessage($0) },
            myState: channel.my?.state, myRole: channel.my?.role, myJoinedAt: channel.my?.joinedAt,
            myMutedUntil: channel.my?.mutedUntil, myPermissions: channel.my?.permissions,
            unreadCount: channel.my?.unreadCount,
            unreadMentions: channel.my?.unreadMentionCount, firstUnread: channel.my?.firstUnreadMessageID,
            lastRead: channel.my?.lastRead?.messageID, away: channel.my?.hiddenState)
    }
}

extension SeenMember {
    init(_ member: Member) {
        self.init(
            user: SeenUser(member.user), role: member.role, state: member.state, joinedAt: member.joinedAt,
            invitedBy: member.invitedBy, mutedUntil: member.mutedUntil, bannedUntil: member.bannedUntil,
            lastRead: member.lastRead?.messageID)
    }
}

extension SeenSanction {
    init(_ sanction: Sanction) {
        self.init(
            user: SeenUser(sanction.user), until: sanction.until, description: sanction.description, at: sanction.at,
            by: sanction.by)
    }
}

extension SeenMessage {
    init(_ message: Message) {
        self.init(
            id: message.id, isAdmin: message.kind == .admin, text: message.text,
            user: message.user.map { SeenUser($0) }, createdAt: message.createdAt, updatedAt: message.updatedAt,
            deletedAt: message.deletedAt, expiresAt: message.expiresAt, clientID: message.clientID,
            parentID: message.parentMessageID,
            replyToChannel: message.replyToChannel, customType: message.customType, data: message.data,
            mentionType: message.mentionType, mentioned: message.mentionedUserIDs)
        quote = message.parent.map {
            Quote(
                id: $0.id, state: $0.state, text: $0.text, user: $0.user.map { SeenUser($0) }, createdAt: $0.createdAt)
        }
        thread = message.thread.map { SeenThread($0) }
        fromBlocked = message.fromBlocked ?? false
        reactions = (message.reactions ?? []).map {
            Key(key: $0.key, count: $0.count, users: $0.userIDs, mine: $0.mine, updatedAt: $0.updatedAt)
        }
    }
}
