import ChatDomain
import ChatModel

// Conversion of the contents of erasures.

extension ProtoUserDeleted {
    init(_ deleted: Event.UserDeleted) {
        self.init()
        id = deleted.id?.rawValue ?? ""
        erased = ProtoErasedUser(deleted.erased)
    }
}

extension Event.UserDeleted {
    init(_ proto: ProtoUserDeleted) throws(RecordError) {
        self.init(id: try optionalUser(proto.id, "id"), erased: try ErasedUser(proto.erased))
    }
}

extension ProtoErasedUser {
    init(_ erased: ErasedUser) {
        self.init()
        key = erased.key
        alias = erased.alias.rawValue
        before = erased.before
        deletesMessages = erased.deletesMessages
    }
}

extension ErasedUser {
    init(_ proto: ProtoErasedUser) throws(RecordError) {
        self.init(
            key: proto.key, alias: try user(proto.alias, "alias"), before: proto.before,
            deletesMessages: proto.deletesMessages)
    }
}

extension ProtoUserReplaced {
    init(_ replaced: Event.UserReplaced) {
        self.init()
        channel = replaced.channel.rawValue
        user = replaced.user.rawValue
        after = replaced.after
        upTo = replaced.upTo
    }
}

extension Event.UserReplaced {
    init(_ proto: ProtoUserReplaced) throws(RecordError) {
        self.init(
            channel: try Records.channel(proto.channel), user: try Records.user(proto.user), after: proto.after,
            upTo: proto.upTo)
    }
}
