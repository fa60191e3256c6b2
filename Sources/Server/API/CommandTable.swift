import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import WireProtocol

/// The command table, used to dispatch both RPC and HTTP. Each row describes a command completely.
package struct CommandTable: Sendable {
    package static let declarations: [Declaration] = [
        .change(UpsertUser.self, .server),
        .change(UpsertUsers.self, .server),
        .change(DeactivateUser.self, .server, .admin),
        .change(ActivateUser.self, .server, .admin),
        .change(DeleteUser.self, .server, .admin),
        .change(DisconnectUser.self, .server, .admin),
        .change(RevokeTokens.self, .server, .admin),
        .query(GetUser.self, .anyone, guests: .browsing),
        .query(ListUsers.self, .anyone),
        .query(ListAllUsers.self, .server),
        .query(SearchUsers.self, .anyone),
        .query(ExportUser.self, .anyone, .admin),
        .change(BlockUser.self, .users),
        .change(UnblockUser.self, .users),
        .query(ListBlocked.self, .users),
        .change(UpdatePreferences.self, .users),
        .change(RegisterDevice.self, .users),
        .change(UnregisterDevice.self, .users),
        .change(SetChannelPush.self, .users),
        .change(CreateChannel.self, .anyone),
        .change(UpsertChannels.self, .server),
        .query(GetChannel.self, .anyone, guests: .browsing),
        .query(ListChannels.self, .users, guests: .browsing),
        .query(ListPublicChannels.self, .anyone, guests: .browsing),
        .change(JoinChannel.self, .users, guests: .browsing),
        .change(LeaveChannel.self, .users, guests: .browsing),
        .change(InviteToChannel.self, .anyone),
        .change(AcceptInvitation.self, .users),
        .change(DeclineInvitation.self, .users),
        .change(UpdateChannel.self, .anyone),
        .change(SetChannelMetadata.self, .anyone),
        .change(DeleteChannelMetadata.self, .anyone),
        .change(DeleteChannel.self, .anyone),
        .change(SetRetention.self, .server),
        .query(ExportChannel.self, .server, .admin),
        .change(HideChannel.self, .users),
        .change(UnhideChannel.self, .users),
        .change(ResetHistory.self, .users),
        .change(FreezeChannel.self, .anyone),
        .change(UnfreezeChannel.self, .anyone),
        .change(AddOperators.self, .anyone),
        .change(RemoveOperators.self, .anyone),
        .change(RemoveAllOperators.self, .anyone),
        .query(ListOperators.self, .anyone, guests: .browsing),
        .query(ListMembers.self, .anyone, guests: .browsing),
        .change(AddMembers.self, .server),
        .change(RemoveMember.self, .anyone),
        .change(BanMember.self, .anyone),
        .change(UnbanMember.self, .anyone),
        .query(ListBanned.self, .anyone),
        .change(MuteMember.self, .anyone),
        .change(UnmuteMember.self, .anyone),
        .query(ListMuted.self, .anyone),
        .query(ListMemberModeration.self, .anyone),
        .change(BanUser.self, .server),
        .change(UnbanUser.self, .server),
        .query(ListBannedUsers.self, .server),
        .change(MuteUser.self, .server),
        .change(UnmuteUser.self, .server),
        .query(ListMutedUsers.self, .server),
        .hooked(SendMessage.self, .anyone, guests: .writing, usual: SendMessage.init(usual:)),
        .query(GetMessage.self, .anyone, guests: .browsing),
        .hooked(UpdateMessage.self, .anyone, guests: .writing),
        .change(DeleteMessage.self, .anyone, guests: .writing),
        .query(ListMessages.self, .anyone, guests: .browsing),
        .query(SearchMessages.self, .anyone),
        .query(ListReplies.self, .anyone, guests: .browsing),
        .query(ListThreads.self, .users, guests: .browsing),
        .query(GetThread.self, .anyone, guests: .browsing),
        .hooked(UpdateThread.self, .anyone),
        .change(MarkThreadRead.self, .users, guests: .browsing),
        .change(MarkThreadUnread.self, .users, guests: .browsing),
        .change(MarkRead.self, .users, guests: .browsing, usual: MarkRead.init(usual:)),
        .change(MarkUnread.self, .users, guests: .browsing),
        .change(MarkAllRead.self, .users, guests: .browsing),
        .query(GetUnreadCounts.self, .users, guests: .browsing),
        .query(ListReceipts.self, .anyone, guests: .browsing),
        .change(AddReaction.self, .users, guests: .writing, usual: AddReaction.init(usual:)),
        .change(RemoveReaction.self, .users, guests: .writing, usual: RemoveReaction.init(usual:)),
        .query(ListReactionUsers.self, .anyone, guests: .browsing),
        .query(ListEmojis.self, .anyone, guests: .browsing),
        .change(CreateEmoji.self, .server, .admin),
        .change(DeleteEmoji.self, .server, .admin),
        .signal(StartTyping.self, .users, guests: .writing, usual: StartTyping.init(usual:)),
        .signal(StopTyping.self, .users, guests: .writing, usual: StopTyping.init(usual:)),
        .change(CreateReport.self, .users, guests: .browsing),
        .query(ListReports.self, .server),
        .change(ResolveReport.self, .server),
        .change(DismissReport.self, .server),
        .change(DeleteReport.self, .server),
        .query(ListAppModeration.self, .server),
        .change(SetRole.self, .server, .admin),
        .query(ListRoles.self, .server, .admin),
        .change(SetTextRules.self, .server, .admin),
        .change(DeleteTextRules.self, .server, .admin),
        .query(ListTextRules.self, .server, .admin),
        .query(TestTextRules.self, .server, .admin),
        .change(SetHook.self, .server, .admin),
        .query(GetHook.self, .server, .admin),
        .change(SetWebhook.self, .server, .admin),
        .query(ListWebhooks.self, .server, .admin),
        .change(DeleteWebhook.self, .server, .admin),
        .listDeadLetters,
        .replayDeadLetters,
        .query(GetSettings.self, .server, .admin),
        .change(UpdateSettings.self, .server, .admin),
        .change(BeginImport.self, .server, .admin),
        .change(AddImportLines.self, .server, .admin),
        .change(FinishImport.self, .server, .admin),
        .query(GetImportStatus.self, .server, .admin),
        .createToken,
        .createGuest,
    ]

    static let byMethod = Dictionary(uniqueKeysWithValues: declarations.map { ($0.method, $0) })

    /// Returns whether the command exists and is read-only.
    package static func isRead(_ method: String) -> Bool { byMethod[method]?.isRead ?? false }

    /// - Returns: Nil for an unknown command.
    package static func scope(of method: String) -> KeyScope? { byMethod[method]?.scope }

    /// Returns the commands that a server key with these scopes can call, in the table's order.
    package static func commands(for scopes: Set<KeyScope>) -> [String] {
        declarations.filter {
            ($0.callers == .server || $0.callers == .anyone) && scopes.contains($0.scope)
        }.map(\.method)
    }

    /// Commands whose answers reveal nothing that requires membership, or that end the membership.
    private static let revealingNothing = ["channel.leave", "channel.decline", "channel.delete", "report.create"]

    /// Returns the channel that a caller must be a member of to receive an answer again.
    ///
    /// - Parameter data: The data of an executed request.
    package static func channelOfAnswer(
        _ method: String, _ data: ArraySlice<UInt8>, _ answer: StoredResponse
    ) -> ChannelID? {
        // A rejection reveals nothing about the channel.
        guard case .result = answer, !revealingNothing.contains(method) else { return nil }
        return channel(of: data)
    }

    private static func channel(of data: ArraySlice<UInt8>) -> ChannelID? {
        guard let fields = try? JSONFields(data) else { return nil }
        return (try? fields.string("channel_id")).flatMap { ChannelID($0) }
    }

    /// Returns the message whose content an answer contains, or nil if there is none or it was already deleted.
    package static func messageOfAnswer(_ answer: StoredResponse) -> MessageID? {
        guard case .result(let json) = answer, let message = try? JSONFields(json).object("message"),
            message.raw("deleted_at") == nil
        else { return nil }
        return (try? message.string("id")).flatMap { MessageID($0) }
    }

    /// Returns the user for whom a server key requested something, whose answer may contain something of the user without
    /// the id, such as preferences, or a token.
    ///
    /// - Returns: Nil for `user.delete`, whose answer contains the alias only, and is repeated.
    package static func subjectOfAnswer(_ method: String, _ data: ArraySlice<UInt8>) -> UserID? {
        guard method != DeleteUser.method, let fields = try? JSONFields(data) else { return nil }
        let text = (try? fields.string("as_user_id")) ?? (try? fields.string("user_id"))
        return text.flatMap { UserID($0) }
    }

    let engine: ChatEngine
    /// Verifies tokens, and signs new ones if it has a secret; `nil` when not supplied.
    let tokens: TokenVerifier?
    let deadLetters: (any DeadLetterPort)?
    let hooks: HookGate
    /// Generates an unguessable, unique id for the next guest.
    let freshGuest: @Sendable () -> UserID
    package let unknownFields = UnknownFieldPolicy()

    var requests: CommandDecoder { CommandDecoder(refusesUnknownFields: unknownFields.refuses) }

    package init(
        engine: ChatEngine, tokens: TokenVerifier? = nil, deadLetters: (any DeadLetterPort)? = nil,
        hooks: HookGate = HookGate(nil),
        freshGuest: @escaping @Sendable () -> UserID = CommandTable.randomGuest
    ) {
        self.freshGuest = freshGuest
        self.engine = engine
        self.tokens = tokens
        self.deadLetters = deadLetters
        self.hooks = hooks
    }

    /// Uses the system's random generator.
    package static let randomGuest: @Sendable () -> UserID = {
        var generator = SystemRandomNumberGenerator()
        return .guest(generator.next(), generator.next())
    }

    /// Starts a command whose answer goes to the address.
    ///
    /// - Parameter sender: `nil` for an HTTP request without credentials. A server key acts for itself or, with
    ///   `as_user_id` in the body, for that user.
    /// - Throws: An error in the call itself: 104, 101, 103, 1009, 1026, 107, 1032, 1018. In that case nothing was
    ///   started.
    package func start(
        _ method: String, _ data: ArraySlice<UInt8>, by sender: Caller?, answerTo address: ReturnAddress
    ) throws(Rejection) {
        guard let declaration = Self.byMethod[method] else { throw Rejection(.methodNotFound) }
        let caller = try declaration.caller(sentBy: sender, data, engine.guestSettings)
        let isServer = sender == .server
        guard let user = caller.user, engine.hook.isSet || hooks.isHolding, let channel = Self.channel(of: data) else {
            return try declaration.execute(self, data, caller, isServer, address)
        }
        let command = HeldCommand(
            declaration: declaration, data: Array(data), caller: caller, isServer: isServer, address: address)
        try hooks.enter(command, HookLane(user: user, channel: channel), self)
    }
}
