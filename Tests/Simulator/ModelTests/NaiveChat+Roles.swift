import ChatModel

// Roles by the articles: a list of permissions per custom type and role, where nothing else is said.

extension NaiveChat {
    /// What roles may do by default, in the order of the permissions.
    private static let usual: [ChannelRole: [Permission]] = {
        let everything = Permission.allCases
        let kept: [Permission] = [
            .send, .reply, .react, .upload, .mentionChannel, .editOwn, .deleteOwn, .editThread, .invite,
            .createChannels,
        ]
        return [
            .listener: [], .guest: [.send, .reply, .react, .mentionChannel, .editOwn, .deleteOwn], .member: kept,
            .operator: everything, .appAdmin: everything,
        ]
    }()

    mutating func set(_ request: SetRole) throws(Refused) -> Outcome {
        guard let role = request.role, request.preset == nil else { throw Refused(code: 107) }
        try refuse(1032, when: request.customType == "")
        let type = request.customType ?? ""
        roles[type, default: [:]][role] = request.permissions.map { given in
            Permission.allCases.filter(given.contains)
        }
        if roles[type]?.isEmpty ?? false { roles[type] = nil }
        return .done
    }

    func permissions(of role: ChannelRole, _ customType: String?) -> [Permission] {
        roles[customType ?? ""]?[role] ?? roles[""]?[role] ?? Self.usual[role] ?? []
    }

    func rank(of user: UserID, in channel: NaiveChannel) -> ChannelRole {
        guard let joined = channel.joined[user] else { return .listener }
        if people[user]?.isAppAdmin ?? false { return .appAdmin }
        return joined.role == .operator ? .operator : user.isGuest ? .guest : .member
    }

    func isBelowOperators(_ user: UserID, in channel: NaiveChannel) -> Bool { rank(of: user, in: channel) < .operator }

    /// - Parameter code: The code for roles that never have the permission.
    func need(
        _ permission: Permission, _ user: UserID?, in channel: NaiveChannel, usually code: Int = 1054
    ) throws(Refused) {
        guard let user else { return }
        let role = rank(of: user, in: channel)
        guard !permissions(of: role, channel.customType).contains(permission) else { return }
        throw Refused(code: Self.usual[role]?.contains(permission) ?? false ? 1054 : code)
    }

    func checkMayCreate(_ user: UserID?, _ customType: String?) throws(Refused) {
        guard let user else { return }
        let role: ChannelRole = people[user]?.isAppAdmin ?? false ? .appAdmin : .member
        try refuse(1054, when: !permissions(of: role, customType).contains(.createChannels))
    }

    /// Nobody acts on someone with an equal or higher role.
    func checkIsBelow(_ user: UserID, _ actor: UserID?, _ channel: NaiveChannel) throws(Refused) {
        guard let actor else { return }
        var role = rank(of: user, in: channel)
        if channel.joined[user] == nil {
            if channel.invited[user]?.role == .operator { role = .operator }
            if people[user]?.isAppAdmin ?? false { role = .appAdmin }
        }
        try refuse(1054, when: role >= rank(of: actor, in: channel))
    }
}
