import ChatDomain
import ChatEngine
import ChatModel
import Gateway

extension CommandTable.Declaration {
    /// `token.create`: the token is signed off the loops and the chat's queue; the chat then sends the answer.
    static let tokens = CommandTable.Declaration(
        method: CreateToken.method, callers: .server, scope: .admin, request: CreateToken.self, isRead: false
    ) {
        (table, data, caller, mayActAs, address) throws(Rejection) in
        let request = try table.requests.decode(CreateToken.self, from: data, mayActAs: mayActAs)
        let lifetime = try request.lifetime()
        let sendAnswer: @Sendable (String?, Int64, Bool) -> Void = { [engine = table.engine] token, expiresAt, hasKey in
            engine.query(
                HandOutToken(userID: request.userID, token: token, expiresAt: expiresAt, hasKey: hasKey), as: caller,
                admitsNewcomer: false, answerTo: address)
        }
        guard let tokens = table.tokens, tokens.canSign else { return sendAnswer(nil, 0, false) }
        tokens.issue(for: request.userID, lifetimeSeconds: lifetime) { sendAnswer($0, $1, true) }
    }

    /// `guest.create`: the token is signed off the loops and the chat's queue; the chat then creates the guest.
    static let guests = CommandTable.Declaration(
        method: CreateGuest.method, callers: .newcomers, scope: .write, request: CreateGuest.self, isRead: false
    ) {
        (table, data, _, mayActAs, address) throws(Rejection) in
        let request = try table.requests.decode(CreateGuest.self, from: data, mayActAs: mayActAs)
        let (engine, settings) = (table.engine, table.engine.guestSettings)
        guard settings.isEnabled else { throw Rejection(.featureDisabled, "guests") }
        guard let tokens = table.tokens, tokens.canSign else {
            throw Rejection(.featureDisabled, "guests: the server has no key to sign with")
        }
        let id = table.freshGuest()
        tokens.issue(for: id, lifetimeSeconds: Int64(settings.tokenSeconds)) { token, expiresAt in
            let guest = AdmitGuest(id: id, nickname: request.nickname, token: token, expiresAt: expiresAt)
            engine.admit(guest, answerTo: address)
        }
    }
}

/// What guests may do: read public channels without an account, and talk there if the setting allows it. The
/// chat decides which channels these are and who moderates them.
package enum GuestRights {
    /// Commands that read, join and leave.
    package static let browsing: Set = [
        "user.get", "emoji.list", "channel.get", "channel.list", "channel.list_public", "channel.join", "channel.leave",
        "member.list", "operator.list", "message.get", "message.list", "thread.get", "thread.list", "thread.replies",
        "reaction.list_users", "read.mark", "read.mark_unread", "read.mark_all", "read.counts", "read.receipts",
        "thread.mark_read", "thread.mark_unread", "report.create",
    ]
    /// Commands whose effects others see.
    package static let writing: Set = [
        "message.send", "message.update", "message.delete", "reaction.add", "reaction.remove", "typing.start",
        "typing.stop",
    ]

    /// - Throws: 1026.
    static func check(_ method: String, _ settings: GuestSettings) throws(Rejection) {
        guard browsing.contains(method) || settings.canWrite && writing.contains(method) else {
            throw Rejection(.notForGuests)
        }
    }
}
