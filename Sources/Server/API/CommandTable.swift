import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import WireProtocol

/// The table of commands, from which RPC and HTTP dispatch; each row is the complete description of a command.
package struct CommandTable: Sendable {
    package enum Callers: Sendable {
        /// A user, authenticated by token or named by the server with `as_user_id`.
        case users
        /// Only a server key.
        case server
        case anyone
        /// Unauthenticated HTTP clients, and server keys.
        case newcomers
    }

    package struct Declaration: Sendable {
        /// The RPC method; the HTTP equivalent is `POST /v1/<method>`.
        package let method: String
        package let callers: Callers
        /// The scope that a server key needs.
        package let scope: KeyScope
        /// The type from which `/openapi.json` and `/asyncapi.json` derive the shapes.
        package let request: any Request.Type
        /// Whether the command changes nothing.
        package let isRead: Bool
        let execute:
            @Sendable (CommandTable, ArraySlice<UInt8>, Caller, _ mayActAs: Bool, ReturnAddress) throws(Rejection)
                -> Void

        package var path: String { "/v1/" + method }

        /// - Parameter usual: Decodes common requests without `Codable`.
        static func change<C: Change>(
            _ type: C.Type, _ callers: Callers, _ scope: KeyScope = .write,
            usual: @escaping UsualReader<C> = { _ in nil }
        ) -> Declaration {
            Declaration(method: C.method, callers: callers, scope: scope, request: type, isRead: false) {
                (table, data, caller, mayActAs, address) throws(Rejection) in
                let request = try table.requests.decode(type, from: data, mayActAs: mayActAs, usual: usual)
                table.engine.change(
                    request, as: caller, admitsNewcomer: !mayActAs, bytes: data.count, answerTo: address)
            }
        }

        /// - Parameter usual: Decodes common requests without `Codable`.
        static func signal<S: Signal>(
            _ type: S.Type, _ callers: Callers, _ scope: KeyScope = .write,
            usual: @escaping UsualReader<S> = { _ in nil }
        ) -> Declaration {
            Declaration(method: S.method, callers: callers, scope: scope, request: type, isRead: false) {
                (table, data, caller, mayActAs, address) throws(Rejection) in
                let request = try table.requests.decode(type, from: data, mayActAs: mayActAs, usual: usual)
                table.engine.signal(request, as: caller, admitsNewcomer: !mayActAs, answerTo: address)
            }
        }

        static func query<Q: Query>(
            _ type: Q.Type, _ callers: Callers, _ scope: KeyScope = .read
        ) -> Declaration {
            Declaration(method: Q.method, callers: callers, scope: scope, request: type, isRead: true) {
                (table, data, caller, mayActAs, address) throws(Rejection) in
                let request = try table.requests.decode(type, from: data, mayActAs: mayActAs)
                table.engine.query(request, as: caller, admitsNewcomer: !mayActAs, bytes: data.count, answerTo: address)
            }
        }
    }

    package static let declarations: [Declaration] = [
        .change(UpsertUser.self, .server),
        .change(UpsertUsers.self, .server),
        .change(DeactivateUser.self, .server, .admin),
        .change(ActivateUser.self, .server, .admin),
        .signal(DisconnectUser.self, .server, .admin),
        .change(RevokeTokens.self, .server, .admin),
        .query(GetUser.self, .anyone),
        .query(ListUsers.self, .anyone),
        .query(ListAllUsers.self, .server),
        .change(UpdatePreferences.self, .users),
        .change(RegisterDevice.self, .users),
        .change(UnregisterDevice.self, .users),
        .change(SetChannelPush.self, .users),
        .change(CreateChannel.self, .anyone),
        .change(UpsertChannels.self, .server),
        .query(GetChannel.self, .anyone),
        .query(ListChannels.self, .users),
        .query(ListPublicChannels.self, .anyone),
        .change(JoinChannel.self, .users),
        .change(LeaveChannel.self, .users),
        .change(InviteToChannel.self, .anyone),
        .change(AcceptInvitation.self, .users),
        .change(DeclineInvitation.self, .users),
        .change(UpdateChannel.self, .anyone),
        .change(SetChannelMetadata.self, .anyone),
        .change(DeleteChannelMetadata.self, .anyone),
        .change(DeleteChannel.self, .anyone),
        .change(HideChannel.self, .users),
        .change(UnhideChannel.self, .users),
        .change(ResetHistory.self, .users),
        .change(FreezeChannel.self, .anyone),
        .change(UnfreezeChannel.self, .anyone),
        .change(AddOperators.self, .anyone),
        .change(RemoveOperators.self, .anyone),
        .change(RemoveAllOperators.self, .anyone),
        .query(ListOperators.self, .anyone),
        .query(ListMembers.self, .anyone),
        .change(AddMembers.self, .server),
        .change(BanMember.self, .anyone),
        .change(UnbanMember.self, .anyone),
        .query(ListBanned.self, .anyone),
        .change(MuteMember.self, .anyone),
        .change(UnmuteMember.self, .anyone),
        .query(ListMuted.self, .anyone),
        .change(SendMessage.self, .anyone, usual: SendMessage.init(usual:)),
        .query(GetMessage.self, .anyone),
        .change(UpdateMessage.self, .anyone),
        .change(DeleteMessage.self, .anyone),
        .query(ListMessages.self, .anyone),
        .query(SearchMessages.self, .anyone),
        .query(ListReplies.self, .anyone),
        .query(ListThreads.self, .users),
        .query(GetThread.self, .anyone),
        .change(UpdateThread.self, .anyone),
        .change(MarkThreadRead.self, .users),
        .change(MarkThreadUnread.self, .users),
        .change(MarkRead.self, .users, usual: MarkRead.init(usual:)),
        .change(MarkUnread.self, .users),
        .change(MarkAllRead.self, .users),
        .query(GetUnreadCounts.self, .users),
        .query(ListReceipts.self, .anyone),
        .change(AddReaction.self, .users, usual: AddReaction.init(usual:)),
        .change(RemoveReaction.self, .users, usual: RemoveReaction.init(usual:)),
        .query(ListReactionUsers.self, .anyone),
        .query(ListEmojis.self, .anyone),
        .change(CreateEmoji.self, .server, .admin),
        .change(DeleteEmoji.self, .server, .admin),
        .signal(StartTyping.self, .users, usual: StartTyping.init(usual:)),
        .signal(StopTyping.self, .users, usual: StopTyping.init(usual:)),
        .change(CreateReport.self, .users),
        .query(ListReports.self, .server),
        .change(SetWebhook.self, .server, .admin),
        .query(ListWebhooks.self, .server, .admin),
        .change(DeleteWebhook.self, .server, .admin),
        .deadLetters,
        .replay,
        .query(GetSettings.self, .server, .admin),
        .change(UpdateSettings.self, .server, .admin),
        .tokens,
        .guests,
    ]

    static let byMethod = Dictionary(uniqueKeysWithValues: declarations.map { ($0.method, $0) })

    /// Whether the command exists and changes nothing.
    package static func isRead(_ method: String) -> Bool { byMethod[method]?.isRead ?? false }

    /// - Returns: Nil for an unknown command.
    package static func scope(of method: String) -> KeyScope? { byMethod[method]?.scope }

    /// Commands whose answers reveal nothing that requires membership, or that end it.
    private static let revealingNothing = ["channel.leave", "channel.decline", "channel.delete", "report.create"]

    /// The channel whose membership is required to receive an answer again.
    ///
    /// - Parameter data: The data of an executed request.
    package static func channelOfAnswer(
        _ method: String, _ data: ArraySlice<UInt8>, _ answer: KeptAnswer
    ) -> ChannelID? {
        // A rejection reveals nothing about the channel.
        guard case .result = answer, !revealingNothing.contains(method), let fields = try? JSONFields(data) else {
            return nil
        }
        return (try? fields.string("channel_id")).flatMap { ChannelID($0) }
    }

    /// The message whose content an answer contains; nil if there is none or it was already deleted.
    package static func messageOfAnswer(_ answer: KeptAnswer) -> MessageID? {
        guard case .result(let json) = answer, let message = try? JSONFields(json).object("message"),
            message.raw("deleted_at") == nil
        else { return nil }
        return (try? message.string("id")).flatMap { MessageID($0) }
    }

    let engine: ChatEngine
    /// Signs new tokens if it has a secret; `nil` when none was given.
    let tokens: TokenVerifier?
    let deadLetters: (any DeadLetterPort)?
    /// Generates the id of the next guest: unguessable and unique.
    let freshGuest: @Sendable () -> UserID
    package let unknownFields = UnknownFieldPolicy()

    var requests: RequestDecoder { RequestDecoder(refusesUnknownFields: unknownFields.refuses) }

    package init(
        engine: ChatEngine, tokens: TokenVerifier? = nil, deadLetters: (any DeadLetterPort)? = nil,
        freshGuest: @escaping @Sendable () -> UserID = CommandTable.randomGuest
    ) {
        self.freshGuest = freshGuest
        self.engine = engine
        self.tokens = tokens
        self.deadLetters = deadLetters
        KnownFields.prepare()
    }

    /// Uses the system's random generator.
    package static let randomGuest: @Sendable () -> UserID = {
        var generator = SystemRandomNumberGenerator()
        return .guest(generator.next(), generator.next())
    }

    /// The caller and its authority.
    package enum Authority: Sendable, Equatable {
        case user(UserID)
        /// A server key: acts for itself or, with `as_user_id` in the body, for that user.
        case server
        /// An HTTP request without credentials.
        case nobody
    }

    /// Starts a command; the answer goes to the address.
    ///
    /// - Throws: An error in the call itself: 104, 101, 103, 1009, 1026, 107, 1032, 1018. Nothing was started
    ///   then.
    package func start(
        _ method: String, _ data: ArraySlice<UInt8>, by authority: Authority, answerTo address: ReturnAddress
    ) throws(Rejection) {
        guard let declaration = Self.byMethod[method] else { throw Rejection(.methodNotFound) }
        let caller: Caller
        switch authority {
        case .user(let user):
            guard declaration.callers != .server else { throw Rejection(.serverOnly) }
            guard declaration.callers != .newcomers else { throw Rejection(.permissionDenied) }
            caller = .user(user)
        case .server:
            caller = try Self.caller(data)
            if case .user = caller, declaration.callers == .server || declaration.callers == .newcomers {
                throw Rejection(.badRequest, "as_user_id: not for this command")
            }
            if caller == .server, declaration.callers == .users {
                throw Rejection(.badRequest, "name a user with as_user_id")
            }
        case .nobody:
            guard declaration.callers == .newcomers else {
                throw Rejection(.unauthorized, "Authorization: Bearer or X-API-Key")
            }
            caller = .server
        }
        if let user = caller.user, user.isGuest { try GuestRights.check(method, engine.guestSettings) }
        try declaration.execute(self, data, caller, authority == .server, address)
    }

    /// The caller on whose behalf a server key acts.
    private static func caller(_ data: ArraySlice<UInt8>) throws(Rejection) -> Caller {
        guard !data.isEmpty else { return .server }
        let fields = try RequestDecoder.fields(data)
        guard fields.raw("as_user_id") != nil else { return .server }
        guard let text = try? fields.string("as_user_id"), let user = UserID(text) else {
            throw Rejection(.invalidValue, "as_user_id: a user id: 1-80 characters, no controls")
        }
        return .user(user)
    }
}
