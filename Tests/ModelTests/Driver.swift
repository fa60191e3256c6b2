import ChatDomain
import ChatModel

/// The chat under test, by one way or another.
protocol Driver {
    /// Whether guests can be made under the names that scripts have for them.
    static var takesGuests: Bool { get }

    /// A new chat in which the cast has signed up, and nothing more.
    static func begin(_ rules: NaiveChat.Rules, seed: UInt64) async throws -> Self

    /// Carries out one command.
    ///
    /// - Parameters:
    ///   - user: `nil` for the server.
    ///   - now: Milliseconds.
    ///   - fresh: What the script calls the thing that the command makes.
    mutating func reply(to request: any Request, by user: UserID?, now: Int64, fresh: MessageID) async -> Reply

    /// Who hears what happens in a channel; `nil` when that is not to be seen from here.
    func listeners(of channel: ChannelID) -> Set<UserID>?

    /// What each of those who listen heard since this was asked the last time.
    mutating func heard() async -> [UserID: Heard]

    func end() async
}

/// What a chat says to a command.
struct Reply {
    var outcome: Outcome
    /// Where a list that is not at its end goes on.
    var next: String?

    init(_ outcome: Outcome) { self.outcome = outcome }

    init(answer: Any) {
        outcome = Outcome(answer: answer)
        next = (answer as? any Page)?.next
    }
}

/// Who and what the scripts are about.
enum Cast {
    static let people: [UserID] = ["ann", "bob", "cat", "dan", "eve"].compactMap { UserID($0) }
    static let channels: [ChannelID] = ["c1", "c2", "c3", "~c4"].compactMap { ChannelID($0) }
}

extension NaiveChat.Rules {
    /// The same in the words of the chat.
    var settings: ChatSettings {
        var settings = ChatSettings()
        settings.historyVisibleToNewcomers = !hidesHistory
        settings.guests.areWelcome = true
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
        return settings
    }
}
