import ChatModel

/// An enumeration in the record format that mirrors one of the chat's. Every case of the original has a counterpart.
protocol Counterpart: Equatable {
    associatedtype Original: CaseIterable
    init(_ original: Original)
}

extension Counterpart {
    /// - Throws: `RecordError.invalid` for an unspecified value, or one written by a newer server.
    func value(_ field: String) throws(RecordError) -> Original {
        guard let original = Original.allCases.first(where: { Self($0) == self }) else { throw .invalid(field: field) }
        return original
    }
}

extension ProtoRole: Counterpart {
    init(_ role: MemberRole) {
        self =
            switch role {
            case .operator: .operator
            case .member: .member
            }
    }
}

extension ProtoKind: Counterpart {
    init(_ kind: MessageKind) {
        self =
            switch kind {
            case .text: .text
            case .file: .file
            case .files: .files
            case .admin: .admin
            }
    }
}

extension ProtoPush: Counterpart {
    typealias Original = ChannelPush

    init(_ push: ChannelPush) {
        self =
            switch push {
            case .all: .all
            case .mentionOnly: .mentionOnly
            case .off: .off
            case .default: .default
            }
    }

    init(_ push: PushPreference) {
        self =
            switch push {
            case .all: .all
            case .mentionOnly: .mentionOnly
            case .off: .off
            }
    }

    func preference() throws(RecordError) -> PushPreference {
        guard let push = PushPreference.allCases.first(where: { Self($0) == self }) else {
            throw .invalid(field: "push")
        }
        return push
    }
}

extension ProtoProvider: Counterpart {
    init(_ provider: Device.Provider) {
        self =
            switch provider {
            case .apns: .apns
            case .fcm: .fcm
            case .web: .web
            }
    }
}

extension ProtoHidden: Counterpart {
    init(_ state: HiddenState) {
        self =
            switch state {
            case .unhidden: .unhidden
            case .hiddenAllowAutoUnhide: .allowAutoUnhide
            case .hiddenPreventAutoUnhide: .preventAutoUnhide
            }
    }
}

extension ProtoPushOption: Counterpart {
    init(_ option: PushOption) {
        self =
            switch option {
            case .default: .default
            case .suppress: .suppress
            }
    }
}

extension ProtoCategory: Counterpart {
    init(_ category: ReportCategory) {
        self =
            switch category {
            case .suspicious: .suspicious
            case .harassing: .harassing
            case .inappropriate: .inappropriate
            case .spam: .spam
            }
    }
}

extension ProtoReportState: Counterpart {
    init(_ state: ReportState) {
        self =
            switch state {
            case .open: .open
            case .resolved: .resolved
            case .dismissed: .dismissed
            }
    }
}

extension ProtoTextRuleAction: Counterpart {
    init(_ action: TextRuleAction) {
        self =
            switch action {
            case .refuse: .refuse
            case .mask: .mask
            case .report: .report
            }
    }
}

extension ProtoReplyType: Counterpart {
    init(_ type: ReplyType) {
        self =
            switch type {
            case .none: .none
            case .quoteReply: .quoteReply
            case .thread: .thread
            }
    }
}

extension ProtoThreadReplySelect: Counterpart {
    init(_ select: ThreadReplySelect) {
        self =
            switch select {
            case .parent: .parent
            case .thread: .thread
            }
    }
}

extension ProtoUserChannelIds: Counterpart {
    init(_ ids: UserChannelIDs) {
        self =
            switch ids {
            case .free: .free
            case .prefix: .prefix
            case .off: .off
            }
    }
}
