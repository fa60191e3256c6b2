import ChatModel

extension SetRole: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        try FieldChecks.bytes(customType, "custom_type", atMost: FieldLimits.customTypeBytes)
        if customType == "" { throw Rejection(.invalidValue, "custom_type: must not be empty") }
        if let customType, !state.roles.has(customType), state.roles.typeCount >= FieldLimits.roleTypes {
            throw Rejection(.tooMany, "custom types with roles: at most \(FieldLimits.roleTypes)")
        }
        let changes: [Event.RoleSet]
        switch (preset, role) {
        case (let preset?, nil):
            guard permissions == nil else { throw Rejection(.invalidValue, "permissions: not accepted with a preset") }
            changes = ChannelRole.allCases.map { role in
                Event.RoleSet(
                    customType: customType, role: role, permissions: preset.permissions(of: role).permissions)
            }
        case (nil, let role?):
            changes = [
                Event.RoleSet(
                    customType: customType, role: role, permissions: permissions.map { PermissionSet($0).permissions })
            ]
        default: throw Rejection(.badRequest, "role or preset is required, and not both")
        }
        let new = changes.filter { state.roles.isChange($0) }
        return Decision(new.isEmpty ? [] : [.rolesSet(new)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response { Response(roles: state.roles.definitions) }
}

extension ListRoles: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        context.work.charge(state.roles.typeCount * ChannelRole.allCases.count * WorkCost.entry)
        return Response(roles: state.roles.definitions)
    }
}

// The one place where roles are checked (`RO1`). Sanctions and the limits of guests override the table and are checked
// elsewhere (`Voice.swift`).
extension ChatState {
    /// Returns the role of a user in a channel.
    func role(of user: UserID, in channel: ChannelState) -> ChannelRole {
        guard let member = channel.members[user] else { return .listener }
        if users[user]?.isAppAdmin ?? false { return .appAdmin }
        if member.role == .operator { return .operator }
        return user.isGuest ? .guest : .member
    }

    func permissions(of user: UserID, in channel: ChannelState) -> PermissionSet {
        roles.permissions(of: role(of: user, in: channel), customType: channel.customType)
    }

    /// Checks that the caller's role has a permission; the server has them all.
    ///
    /// - Parameter usual: The code for a role that never had it; the code is 1054 if a table has taken it away.
    func check(
        _ permission: Permission, in channel: ChannelState, _ context: Context, usual: ErrorCode? = nil
    ) throws(Rejection) {
        guard let user = context.caller.user else { return }
        let role = role(of: user, in: channel)
        guard !roles.permissions(of: role, customType: channel.customType).contains(permission) else { return }
        if let usual, !RoleTable.defaults(of: role).contains(permission) { throw Rejection(usual) }
        throw Rejection(.notPermitted, permission.rawValue)
    }

    /// Checks that a user may create channels of a custom type.
    func checkMayCreate(_ user: UserID, _ customType: String?) throws(Rejection) {
        let role: ChannelRole = users[user]?.isAppAdmin ?? false ? .appAdmin : .member
        guard !roles.permissions(of: role, customType: customType).contains(.createChannels) else { return }
        throw Rejection(.notPermitted, Permission.createChannels.rawValue)
    }

    /// Checks that the caller does not act on a user with an equal or higher role.
    func checkIsBelow(_ user: UserID, in channel: ChannelState, _ context: Context) throws(Rejection) {
        guard let caller = context.caller.user else { return }
        let others = channel.members[user] == nil ? invitedRole(of: user, in: channel) : role(of: user, in: channel)
        guard others < role(of: caller, in: channel) else {
            throw Rejection(.notPermitted, "the user's role is not below yours")
        }
    }

    private func invitedRole(of user: UserID, in channel: ChannelState) -> ChannelRole {
        if users[user]?.isAppAdmin ?? false { return .appAdmin }
        return channel.invitations[user]?.role == .operator ? .operator : .listener
    }
}
