import ChatDomain
import ChatModel

/// A way to access the chat under test.
protocol Driver {
    /// Whether guests can be created under the ids that scripts use.
    static var takesGuests: Bool { get }
    /// Whether the chat's time is the script's, so that messages end when the script says.
    static var keepsTime: Bool { get }

    /// Returns a new chat in which only the cast has signed up.
    static func begin(_ rules: NaiveChat.Rules, seed: UInt64) async throws -> Self

    /// Executes a command.
    ///
    /// - Parameters:
    ///   - user: `nil` for the server.
    ///   - now: Milliseconds.
    ///   - fresh: The script's id for the item that the command creates.
    mutating func reply(to request: any Request, by user: UserID?, now: Int64, fresh: MessageID) async -> Reply

    /// Returns the users who receive a channel's events; `nil` if the driver cannot know.
    func listeners(of channel: ChannelID) -> Set<UserID>?

    /// Returns what each listener received since the last call.
    mutating func heard() async -> [UserID: Heard]

    func end() async
}

/// The chat's response to a command.
struct Reply {
    var outcome: Outcome
    /// The token for the next page of an unfinished list.
    var next: String?

    init(_ outcome: Outcome) { self.outcome = outcome }

    init(answer: Any) {
        outcome = Outcome(answer: answer)
        next = (answer as? any Page)?.next
    }
}

/// The users, channels and messages of the scripts.
enum Cast {
    static let people: [UserID] = ["ann", "bob", "cat", "dan", "eve"].compactMap { UserID($0) }
    static let channels: [ChannelID] = ["c1", "c2", "c3", "~c4"].compactMap { ChannelID($0) }
}

extension NaiveChat.Rules {
    /// The rules as settings of the chat.
    var settings: ChatSettings {
        var settings = ChatSettings()
        settings.historyVisibleToNewcomers = !hidesHistory
        settings.guests.isEnabled = true
        settings.channelsPerUser = channelsPerUser
        settings.invitationsPerUser = invitationsPerUser
        settings.channelsPerCreator = channelsPerCreator
        settings.mostRepliedUsers = mostRepliedUsers
        settings.membersPerChannel = membersPerChannel
        settings.membersPerSuperChannel = membersPerSuperChannel
        settings.distinctByCustomType = distinctByCustomType
        settings.usersCreateChannels = usersCreateChannels
        settings.userChannelIDs = userChannelIDs
        settings.reactions = reactions
        settings.reactionsInSuperChannels = reactionsInSuperChannels
        settings.reactionUsersShown = reactionUsersShown
        settings.exportsOwnData = exportsOwnData
        return settings
    }
}
