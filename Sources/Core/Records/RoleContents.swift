import ChatDomain
import ChatModel

// Conversion of the tables of roles.

extension ProtoRoleGrant {
    init(_ grant: Event.RoleSet) { self.init(grant.customType, grant.role, grant.permissions) }
    init(_ grant: RoleDefinition) { self.init(grant.customType, grant.role, grant.permissions) }

    private init(_ type: String?, _ role: ChannelRole, _ permissions: [Permission]?) {
        self.init()
        if let type { customType = type }
        self.role = role.rawValue
        if let permissions { self.permissions = .with { $0.values = permissions.map(\.rawValue) } }
    }

    fileprivate func channelRole() throws(RecordError) -> ChannelRole {
        guard let role = ChannelRole(rawValue: role) else { throw .invalid(field: "role") }
        return role
    }

    fileprivate func granted() throws(RecordError) -> [Permission] {
        try decodeAll(permissions.values) { name throws(RecordError) in
            guard let permission = Permission(rawValue: name) else { throw .invalid(field: "permissions") }
            return permission
        }
    }
}

extension Event.RoleSet {
    init(_ proto: ProtoRoleGrant) throws(RecordError) {
        self.init(
            customType: proto.hasCustomType ? proto.customType : nil, role: try proto.channelRole(),
            permissions: proto.hasPermissions ? try proto.granted() : nil)
    }
}

extension RoleDefinition {
    init(_ proto: ProtoRoleGrant) throws(RecordError) {
        self.init(
            customType: proto.hasCustomType ? proto.customType : nil, role: try proto.channelRole(),
            permissions: try proto.granted())
    }
}
