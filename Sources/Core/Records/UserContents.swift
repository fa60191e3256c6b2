import ChatDomain
import ChatModel

// Conversion of the contents of user events.

extension ProtoUserCreated {
    init(_ created: Event.UserCreated) {
        self.init()
        id = created.id.rawValue
        nickname = created.nickname
        if let url = created.profileURL { profileURL = url }
        metadata = created.metadata
        inboxEpoch = created.inboxEpoch
        isAppAdmin = created.isAppAdmin
    }
}

extension Event.UserCreated {
    init(_ proto: ProtoUserCreated) throws(RecordError) {
        self.init(
            id: try user(proto.id, "id"), nickname: proto.nickname,
            profileURL: proto.hasProfileURL ? proto.profileURL : nil, metadata: proto.metadata,
            inboxEpoch: proto.inboxEpoch, isAppAdmin: proto.isAppAdmin)
    }
}

extension ProtoUserUpdated {
    init(_ updated: Event.UserUpdated) {
        self.init()
        id = updated.id.rawValue
        if let text = updated.nickname { nickname = text }
        if let url = updated.profileURL { profileURL = url }
        if let values = updated.metadata { metadata = .with { $0.values = values } }
        if let value = updated.isAppAdmin { isAppAdmin = value }
    }
}

extension Event.UserUpdated {
    init(_ proto: ProtoUserUpdated) throws(RecordError) {
        self.init(
            id: try user(proto.id, "id"), nickname: proto.hasNickname ? proto.nickname : nil,
            profileURL: proto.hasProfileURL ? proto.profileURL : nil,
            metadata: proto.hasMetadata ? proto.metadata.values : nil,
            isAppAdmin: proto.hasIsAppAdmin ? proto.isAppAdmin : nil)
    }
}

extension ProtoUserDevice {
    init(_ userID: UserID, _ device: Device) {
        self.init()
        user = userID.rawValue
        provider = ProtoProvider(device.provider)
        token = device.token
    }

    func device() throws(RecordError) -> Device { Device(provider: try provider.value("provider"), token: token) }
}

extension ProtoUserSeen {
    init(_ sighting: Event.Sighting) {
        self.init()
        user = sighting.user.rawValue
        at = sighting.leftAt ?? 0
    }
}

extension Event.Sighting {
    init(_ proto: ProtoUserSeen) throws(RecordError) {
        self.init(user: try Records.user(proto.user), leftAt: proto.at == 0 ? nil : proto.at)
    }
}
