/// A role in a channel, from the lowest to the highest (`RO1`).
public enum ChannelRole: String, Codable, Sendable, CaseIterable, Comparable {
    /// Listens to an open channel without being a member.
    case listener
    /// A guest who is a member.
    case guest
    /// A member.
    case member
    /// An operator of the channel.
    case `operator`
    /// A member whom the app has made an admin of all channels.
    case appAdmin = "app_admin"

    /// Lower roles come first.
    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .listener: 0
        case .guest: 1
        case .member: 2
        case .operator: 3
        case .appAdmin: 4
        }
    }
}

/// What a role may do in a channel (`RO1`).
public enum Permission: String, Codable, Sendable, CaseIterable {
    /// Send messages that are no replies.
    case send
    /// Send replies.
    case reply
    /// Add and remove reactions.
    case react
    /// Upload files.
    case upload
    /// Mention the whole channel.
    case mentionChannel = "mention_channel"
    /// Change own messages.
    case editOwn = "edit_own"
    /// Change messages of others.
    case editAny = "edit_any"
    /// Delete own messages.
    case deleteOwn = "delete_own"
    /// Delete messages of others.
    case deleteAny = "delete_any"
    /// Change the title and data of threads in which one takes part.
    case editThread = "edit_thread"
    /// Invite users.
    case invite
    /// Remove members without a ban.
    case remove
    /// Ban users and lift bans.
    case ban
    /// Mute members and lift mutes.
    case mute
    /// Freeze and unfreeze the channel.
    case freeze
    /// Change the channel's name, cover, data, custom type and settings, such as the slow mode.
    case changeChannel = "change_channel"
    /// Change the channel's metadata.
    case metadata
    /// Create channels of this custom type.
    case createChannels = "create_channels"
}

/// What one role may do in the channels of one custom type.
public struct RoleDefinition: Codable, Hashable, Sendable {
    /// The custom type of the channels; absent for all channels whose type has no definition of this role.
    public var customType: String?
    /// The role.
    public var role: ChannelRole
    /// What it may do, in the order of the documentation.
    public var permissions: [Permission]

    /// Creates a value from its fields.
    public init(customType: String? = nil, role: ChannelRole, permissions: [Permission]) {
        self.customType = customType
        self.role = role
        self.permissions = permissions
    }

    enum CodingKeys: String, CodingKey {
        case role, permissions
        case customType = "custom_type"
    }
}

/// Predefined tables of roles for common kinds of channels (`RO1`).
public enum RolePreset: String, Codable, Sendable, CaseIterable {
    /// The default: members write, invite and create channels.
    case messaging
    /// A team: members may also change the channel and its metadata, remove guests and cancel invitations.
    case team
    /// A broadcast: members only send, reply, react, and edit or delete their own messages; guests only react.
    case livestream
    /// A help desk: members cannot invite, mention the whole channel or change threads.
    case support
    /// A shop: like `support`, but members cannot create channels either.
    case commerce
}

/// Sets what a role, or with a preset every role, may do in the channels of one custom type, or in all others (`RO1`).
/// Server only.
public struct SetRole: Request {
    /// The response to `role.set`.
    public typealias Response = ListRoles.Response
    /// The method name.
    public static let method = "role.set"
    /// The custom type of the channels; nil for those whose type has no table: at most 100 types.
    public var customType: String?
    /// The role; nil with a preset.
    public var role: ChannelRole?
    /// What the role may do; nil to remove its entry, so that the general entry or the default applies.
    public var permissions: [Permission]?
    /// A predefined table that sets every role, instead of `role` and `permissions`.
    public var preset: RolePreset?

    /// Creates a `role.set` request; nil arguments are omitted.
    public init(
        customType: String? = nil, role: ChannelRole? = nil, permissions: [Permission]? = nil,
        preset: RolePreset? = nil
    ) {
        self.customType = customType
        self.role = role
        self.permissions = permissions
        self.preset = preset
    }

    enum CodingKeys: String, CodingKey {
        case role, permissions, preset
        case customType = "custom_type"
    }
}

/// Lists what every role may do: in general, and in the channels of each custom type with a table (`RO1`). Server only.
public struct ListRoles: Request {
    /// The response to `role.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The definitions: first those in general, then by custom type; each from the lowest role to the highest.
        public var roles: [RoleDefinition]
        /// Creates a response from its fields.
        public init(roles: [RoleDefinition]) { self.roles = roles }
    }
    /// The method name.
    public static let method = "role.list"

    /// Creates a `role.list` request.
    public init() {}
}
