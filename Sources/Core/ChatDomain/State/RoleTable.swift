import ChatModel

/// A set of permissions.
package struct PermissionSet: OptionSet, Equatable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package init(_ permissions: [Permission]) {
        self.init(rawValue: permissions.reduce(0) { $0 | 1 << Self.bit($1) })
    }

    func contains(_ permission: Permission) -> Bool { rawValue & 1 << Self.bit(permission) != 0 }

    /// In the order of their declaration.
    package var permissions: [Permission] { Permission.allCases.filter(contains) }

    /// A `switch` instead of a search, because every message checks a permission.
    private static func bit(_ permission: Permission) -> UInt32 {
        switch permission {
        case .send: 0
        case .reply: 1
        case .react: 2
        case .upload: 3
        case .mentionChannel: 4
        case .editOwn: 5
        case .editAny: 6
        case .deleteOwn: 7
        case .deleteAny: 8
        case .editThread: 9
        case .invite: 10
        case .remove: 11
        case .ban: 12
        case .mute: 13
        case .freeze: 14
        case .changeChannel: 15
        case .metadata: 16
        case .createChannels: 17
        }
    }
}

/// Who may do what, per custom type of channels (`RO1`). Only what differs from the default is kept.
struct RoleTable {
    /// By custom type; "" for channels whose type has no entry.
    private var grants: [String: [ChannelRole: PermissionSet]] = [:]

    var customTypes: [String] { grants.keys.filter { !$0.isEmpty }.sorted(by: ByteOrder.precedes) }

    /// Returns what a role may do in channels of a custom type.
    func permissions(of role: ChannelRole, customType: String?) -> PermissionSet {
        guard !grants.isEmpty else { return Self.defaults(of: role) }
        if let customType, let set = grants[customType]?[role] { return set }
        return grants[""]?[role] ?? Self.defaults(of: role)
    }

    /// Returns the definitions that differ from the default, sorted.
    var parts: [RoleDefinition] {
        grants.keys.sorted(by: ByteOrder.precedes).flatMap { type in
            ChannelRole.allCases.compactMap { role in
                grants[type]?[role].map {
                    RoleDefinition(customType: type.isEmpty ? nil : type, role: role, permissions: $0.permissions)
                }
            }
        }
    }

    /// What every role may do, as `role.list` shows it.
    var definitions: [RoleDefinition] {
        ([nil] + customTypes.map(Optional.some)).flatMap { type in
            ChannelRole.allCases.map { role in
                RoleDefinition(
                    customType: type, role: role, permissions: permissions(of: role, customType: type).permissions)
            }
        }
    }

    func has(_ customType: String) -> Bool { grants[customType] != nil }

    /// Returns whether a change would have an effect.
    func isChange(_ change: Event.RoleSet) -> Bool {
        grants[change.customType ?? ""]?[change.role] != Self.kept(change)
    }

    /// Returns what a change leaves in the table: nothing in general for what is the default.
    private static func kept(_ change: Event.RoleSet) -> PermissionSet? {
        let set = change.permissions.map { PermissionSet($0) }
        return change.customType == nil && set == defaults(of: change.role) ? nil : set
    }

    var typeCount: Int { grants.count }

    /// What roles may do without a table.
    static func defaults(of role: ChannelRole) -> PermissionSet {
        switch role {
        case .listener: []
        case .guest: guest
        case .member: member
        case .operator, .appAdmin: all
        }
    }

    private static let all = PermissionSet(Permission.allCases)
    private static let guest = PermissionSet([.send, .reply, .react, .editOwn, .deleteOwn, .mentionChannel])
    private static let member = PermissionSet([
        .send, .reply, .react, .upload, .mentionChannel, .editOwn, .deleteOwn, .editThread, .invite, .createChannels,
    ])

    // MARK: evolve

    mutating func apply(_ record: Record) {
        guard case .rolesSet(let changes) = record.event else { return }
        for change in changes {
            let type = change.customType ?? ""
            grants[type, default: [:]][change.role] = Self.kept(change)
            if grants[type]?.isEmpty ?? false { grants[type] = nil }
        }
    }

    mutating func load(_ parts: [RoleDefinition]) {
        for part in parts {
            grants[part.customType ?? "", default: [:]][part.role] = PermissionSet(part.permissions)
        }
    }
}

extension RolePreset {
    /// What the roles may do.
    func permissions(of role: ChannelRole) -> PermissionSet {
        let defaults = RoleTable.defaults(of: role)
        switch (self, role) {
        case (_, .operator), (_, .appAdmin), (_, .listener), (.messaging, _): return defaults
        case (.team, .member): return defaults.union(PermissionSet([.changeChannel, .metadata, .remove]))
        case (.team, .guest): return defaults
        case (.livestream, .member): return PermissionSet([.send, .reply, .react, .editOwn, .deleteOwn])
        case (.livestream, .guest): return PermissionSet([.react])
        case (.support, .member):
            return PermissionSet([.send, .reply, .react, .upload, .editOwn, .deleteOwn, .createChannels])
        case (.support, .guest): return PermissionSet([.send, .reply, .editOwn])
        case (.commerce, .member): return PermissionSet([.send, .reply, .react, .upload, .editOwn, .deleteOwn])
        case (.commerce, .guest): return PermissionSet([.send, .reply])
        }
    }
}
