import API
import ChatDomain
import ChatModel
import FoundationEssentials
import Gateway
import Testing
import WireProtocol

private let guest = UserID.guest(1, 2)

/// The rights of guests, which are exactly those in this table.
@Suite struct GuestRightsTests {
    private static let browsing: Set = [
        "channel.get", "channel.join", "channel.leave", "channel.list", "channel.list_public", "emoji.list",
        "member.list", "message.get", "message.list", "operator.list", "reaction.list_users", "read.counts",
        "read.mark",
        "read.mark_all", "read.mark_unread", "read.receipts", "report.create", "thread.get", "thread.list",
        "thread.mark_read", "thread.mark_unread", "thread.replies", "user.get",
    ]
    private static let writing: Set = [
        "message.delete", "message.send", "message.update", "reaction.add", "reaction.remove", "typing.start",
        "typing.stop",
    ]
    /// Commands open to every other user but not to guests.
    private static let never: Set = [
        "channel.accept", "channel.create", "channel.decline", "channel.delete", "channel.delete_metadata",
        "channel.freeze", "channel.hide", "channel.invite", "channel.reset_history", "channel.set_metadata",
        "channel.set_push", "channel.unfreeze", "channel.unhide", "channel.update", "member.ban", "member.list_banned",
        "member.list_muted", "member.moderation_log", "member.mute", "member.remove", "member.unban", "member.unmute",
        "message.search", "operator.add", "operator.remove", "operator.remove_all", "thread.update", "user.block",
        "user.export", "user.list", "user.list_blocked", "user.preferences", "user.register_device", "user.search",
        "user.unblock", "user.unregister_device",
    ]

    @Test func `every user command is in exactly one of three lists`() {
        let open = CommandTable.declarations.filter { $0.callers == .users || $0.callers == .anyone }.map(\.method)
        #expect(Self.browsing.union(Self.writing).union(Self.never) == Set(open))
        #expect(Self.browsing.count + Self.writing.count + Self.never.count == open.count)
        func methods(_ right: CommandTable.GuestRight) -> Set<String> {
            Set(CommandTable.declarations.filter { $0.guests == right }.map(\.method))
        }
        #expect(methods(.browsing) == Self.browsing && methods(.writing) == Self.writing)
    }

    @Test(arguments: [true, false])
    func `CH6 CH7 ME2: a guest can do exactly what the lists allow, even through the server key`(mayTalk: Bool) {
        let desk = Desk()
        let table = CommandTable(engine: desk.engine { $0.canWrite = mayTalk })
        let allowed = mayTalk ? Self.browsing.union(Self.writing) : Self.browsing
        for declaration in CommandTable.declarations {
            let method = declaration.method
            // Without a body, most commands are refused later for another reason.
            let refusal = table.refusal(method, "{}", by: .user(guest))?.code
            switch declaration.callers {
            case .server: #expect(refusal == .serverOnly, "\(method)")
            case .newcomers: #expect(refusal == .permissionDenied, "\(method)")
            case .users, .anyone:
                #expect((refusal == .notForGuests) == !allowed.contains(method), "\(method)")
                let named = table.refusal(method, #"{"as_user_id":"\#(guest)"}"#, by: .server)?.code
                #expect((named == .notForGuests) == !allowed.contains(method), "\(method) by the server")
            }
        }
    }

    @Test func `an unauthenticated caller can become a guest and nothing else`() {
        let table = Desk().table()
        for declaration in CommandTable.declarations where declaration.method != CreateGuest.method {
            #expect(table.refusal(declaration.method, "{}", by: nil)?.code == .unauthorized)
        }
        #expect(table.refusal("no.such", "{}", by: nil)?.code == .methodNotFound)
    }
}

@Suite struct GuestCreationTests {
    private static let now: Int64 = 1_780_000_000_999

    private func signer() -> TokenVerifier {
        TokenVerifier(secret: Array(secret.utf8), clock: { Self.now })
    }

    @Test func `a guest gets an unguessable id and a token that is valid for a month`() async throws {
        let (desk, tokens) = (Desk(), signer())
        let table = desk.table(tokens: tokens)
        var names: Set<UserID> = []
        for sender in [nil, .server] as [Caller?] {
            #expect(table.refusal("guest.create", #"{"nickname":"Gus"}"#, by: sender) == nil)
            let made = try JSONDecoder().decode(CreateGuest.Response.self, from: Data(desk.next().utf8))
            #expect(made.user.isGuest == true && made.user.nickname == "Gus")
            #expect(made.expiresAt == 1_780_000_000_000 + 2_592_000_000)
            let identity = try await tokens.verify(made.token).get()
            #expect(identity.user == made.user.id)
            #expect(table.refusal("user.get", "{}", by: .user(made.user.id)) == nil)
            #expect(desk.next().contains(#""is_guest":true"#))
            names.insert(made.user.id)
        }
        #expect(names.count == 2)
    }

    @Test func `1018: guests are refused if disabled or if the server cannot sign tokens`() {
        let desk = Desk()
        let closed = CommandTable(engine: desk.engine { $0.isEnabled = false }, tokens: signer())
        let unsigned = desk.table()
        for table in [closed, unsigned] {
            #expect(table.refusal("guest.create", "{}", by: nil)?.code == .featureDisabled)
        }
    }

    @Test func `the nickname is validated, and a malformed body is refused`() {
        let desk = Desk()
        let table = desk.table(tokens: signer())
        #expect(table.refusal("guest.create", #"{"nickname":7}"#, by: nil)?.code == .badRequest)
        #expect(table.refusal("guest.create", "[]", by: nil)?.code == .badRequest)
        let long = String(repeating: "n", count: 81)
        #expect(table.refusal("guest.create", #"{"nickname":"\#(long)"}"#, by: nil) == nil)
        #expect(desk.next() == "1030")
    }

    @Test func `a token with a guest's id is valid only if signed with the server's own secret`() async throws {
        let keys = KeyPairs.shared
        let claims = #"{"sub":"\#(guest)"}"#
        let verifier = try verifier(keySet(try keys.jwk("ES256")), secret: secret)
        #expect(await verifier.refusal(try keys.token("ES256")) == nil)
        #expect(await verifier.refusal(try keys.token("ES256", claims: claims)) == .invalid)
        #expect(try await verifier.verify(token(claims)).get().user == guest)
    }
}
