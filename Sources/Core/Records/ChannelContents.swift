import ChatDomain
import ChatModel

// Conversion of the contents of channel and member events.

extension ProtoChannelOnly {
    init(_ id: ChannelID) {
        self.init()
        channel = id.rawValue
    }
}

extension ProtoMembership {
    init(_ channelID: ChannelID, _ userID: UserID) {
        self.init()
        channel = channelID.rawValue
        user = userID.rawValue
    }
}

extension ProtoInvitationEnd {
    init(_ channelID: ChannelID, _ userID: UserID, _ inviter: UserID?, _ at: Int64) {
        self.init()
        channel = channelID.rawValue
        user = userID.rawValue
        by = inviter?.rawValue ?? ""
        invitedAt = at
    }
}

extension ProtoChannelCreated {
    init(_ created: Event.ChannelCreated) {
        self.init()
        id = created.id.rawValue
        epoch = created.epoch
        name = created.name
        isPublic = created.isPublic
        isSuper = created.isSuper
        isEphemeral = created.isEphemeral
        if let key = created.distinctKey { distinctKey = ProtoDistinctKey(key) }
        if let url = created.coverURL { coverURL = url }
        if let text = created.data { data = text }
        if let type = created.customType { customType = type }
        metadata = created.metadata
        creator = created.creator?.rawValue ?? ""
        creatorRole = ProtoRole(created.creatorRole)
    }
}

extension Event.ChannelCreated {
    init(_ proto: ProtoChannelCreated) throws(RecordError) {
        self.init(
            id: try channel(proto.id, "id"), epoch: proto.epoch, name: proto.name, isPublic: proto.isPublic,
            isSuper: proto.isSuper, isEphemeral: proto.isEphemeral,
            distinctKey: proto.hasDistinctKey ? try DistinctKey(proto.distinctKey) : nil,
            coverURL: proto.hasCoverURL ? proto.coverURL : nil, data: proto.hasData ? proto.data : nil,
            customType: proto.hasCustomType ? proto.customType : nil, metadata: proto.metadata,
            creator: try optionalUser(proto.creator, "creator"),
            creatorRole: try proto.creatorRole.value("creator_role"))
    }
}

extension ProtoDistinctKey {
    init(_ key: DistinctKey) {
        self.init()
        members = key.members.sorted().map(\.rawValue)
        if let customType = key.customType { self.customType = customType }
    }
}

extension DistinctKey {
    init(_ proto: ProtoDistinctKey) throws(RecordError) {
        self.init(
            members: Set(try users(proto.members, "members")),
            customType: proto.hasCustomType ? proto.customType : nil)
    }
}

extension ProtoChannelUpdated {
    init(_ updated: Event.ChannelUpdated) {
        self.init()
        channel = updated.channel.rawValue
        if let text = updated.name { name = text }
        if let url = updated.coverURL { coverURL = url }
        if let text = updated.data { data = text }
        if let type = updated.customType { customType = type }
        if let flag = updated.isPublic { isPublic = flag }
        if let flag = updated.isSuper { isSuper = flag }
        if let seconds = updated.messageSeconds { messageSeconds = Int64(seconds) }
        if let seconds = updated.slowModeSeconds { slowModeSeconds = Int64(seconds) }
        takenOver = updated.isTakenOver
    }
}

extension Event.ChannelUpdated {
    init(_ proto: ProtoChannelUpdated) throws(RecordError) {
        self.init(
            channel: try Records.channel(proto.channel), name: proto.hasName ? proto.name : nil,
            coverURL: proto.hasCoverURL ? proto.coverURL : nil, data: proto.hasData ? proto.data : nil,
            customType: proto.hasCustomType ? proto.customType : nil,
            isPublic: proto.hasIsPublic ? proto.isPublic : nil, isSuper: proto.hasIsSuper ? proto.isSuper : nil,
            messageSeconds: proto.hasMessageSeconds ? Int(clamping: proto.messageSeconds) : nil,
            slowModeSeconds: proto.hasSlowModeSeconds ? Int(clamping: proto.slowModeSeconds) : nil,
            isTakenOver: proto.takenOver)
    }
}

extension ProtoMemberJoined {
    init(_ joined: Event.MemberJoined) {
        self.init()
        channel = joined.channel.rawValue
        user = joined.user.rawValue
        role = ProtoRole(joined.role)
        invitedBy = joined.invitedBy?.rawValue ?? ""
        seesHistory = joined.seesHistory
    }
}

extension Event.MemberJoined {
    init(_ proto: ProtoMemberJoined) throws(RecordError) {
        self.init(
            channel: try Records.channel(proto.channel), user: try Records.user(proto.user),
            role: try proto.role.value("role"), invitedBy: try optionalUser(proto.invitedBy, "invited_by"),
            seesHistory: proto.seesHistory)
    }
}

extension ProtoSanctioned {
    init(_ sanctioned: Event.Sanctioned) {
        self.init()
        channel = sanctioned.channel.rawValue
        user = sanctioned.user.rawValue
        until = sanctioned.until
        if let text = sanctioned.description { description_p = text }
    }
}

extension Event.Sanctioned {
    init(_ proto: ProtoSanctioned) throws(RecordError) {
        self.init(
            channel: try Records.channel(proto.channel), user: try Records.user(proto.user), until: proto.until,
            description: proto.hasDescription_p ? proto.description_p : nil)
    }
}

extension ProtoBlock {
    init(_ user: UserID, _ blocker: UserID) {
        self.init()
        self.user = user.rawValue
        by = blocker.rawValue
    }
}

extension ProtoAppSanctioned {
    init(_ sanctioned: Event.AppSanctioned) {
        self.init()
        user = sanctioned.user.rawValue
        until = sanctioned.until
        if let text = sanctioned.description { description_p = text }
    }
}

extension Event.AppSanctioned {
    init(_ proto: ProtoAppSanctioned) throws(RecordError) {
        self.init(
            user: try Records.user(proto.user), until: proto.until,
            description: proto.hasDescription_p ? proto.description_p : nil)
    }
}

extension ProtoChannelHidden {
    init(_ hidden: Event.ChannelHidden) {
        self.init()
        channel = hidden.channel.rawValue
        user = hidden.user.rawValue
        state = ProtoHidden(hidden.state)
        if let start = hidden.visibleFrom { visibleFrom = start }
    }
}

extension Event.ChannelHidden {
    init(_ proto: ProtoChannelHidden) throws(RecordError) {
        self.init(
            channel: try Records.channel(proto.channel), user: try Records.user(proto.user),
            state: try proto.state.value("state"), visibleFrom: proto.hasVisibleFrom ? proto.visibleFrom : nil)
    }
}
