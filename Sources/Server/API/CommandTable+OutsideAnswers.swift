import ChatDomain
import ChatEngine
import ChatModel
import Gateway

/// Commands whose answers need more than the chat's state: signed tokens and dead letters.
extension CommandTable.Declaration {
    /// `token.create`: signs the token outside the chat's queue; then the chat decides whether the user may have it.
    static let createToken = CommandTable.Declaration(CreateToken.self, .server, .admin, isRead: false) {
        (table, data, caller, mayActAs, address) throws(Rejection) in
        let request = try table.requests.decode(CreateToken.self, from: data, mayActAs: mayActAs)
        let lifetime = try request.lifetime()
        guard let issued = table.tokens?.issueExpiring(for: request.userID, lifetimeSeconds: lifetime) else {
            throw Rejection(.featureDisabled, "token.create needs a token secret (BELFRY_TOKEN_SECRET)")
        }
        table.engine.query(
            CheckActive(userID: request.userID), as: caller, admitsNewcomer: false,
            answerTo: address.completing(CheckActive.Response.self, from: table.engine) { _ in
                CreateToken.Response(token: issued.token, expiresAt: issued.expiresAt)
            })
    }

    /// `guest.create`: signs the token outside the chat's queue; then the chat creates the guest.
    static let createGuest = CommandTable.Declaration(CreateGuest.self, .newcomers, .write, isRead: false) {
        (table, data, _, mayActAs, address) throws(Rejection) in
        let request = try table.requests.decode(CreateGuest.self, from: data, mayActAs: mayActAs)
        let (engine, settings) = (table.engine, table.engine.guestSettings)
        guard settings.isEnabled else { throw Rejection(.featureDisabled, "guests (guests.enabled)") }
        let guest = AdmitGuest(id: table.freshGuest(), nickname: request.nickname)
        let lifetime = Int64(settings.tokenSeconds)
        guard let issued = table.tokens?.issueExpiring(for: guest.id, lifetimeSeconds: lifetime) else {
            throw Rejection(.featureDisabled, "guests need a token secret (BELFRY_TOKEN_SECRET)")
        }
        engine.admit(
            guest,
            answerTo: address.completing(AdmitGuest.Response.self, from: engine) { created in
                CreateGuest.Response(user: created.user, token: issued.token, expiresAt: issued.expiresAt)
            })
    }

    /// `webhook.dead_letters`: reads the dead letters outside the chat's queue; then the chat checks that the webhook
    /// exists.
    static let listDeadLetters = CommandTable.Declaration(ListDeadLetters.self, .server, .admin, isRead: true) {
        (table, data, caller, mayActAs, address) throws(Rejection) in
        let request = try table.requests.decode(ListDeadLetters.self, from: data, mayActAs: mayActAs)
        let page = try request.page()
        let sendAnswer: @Sendable ([DeadLetter], UInt64?) -> Void = { [engine = table.engine] letters, next in
            let response = ListDeadLetters.Response(
                deadLetters: letters, next: next.map { ListDeadLetters.token(after: $0) })
            engine.query(
                CheckWebhook(id: request.id), as: caller, admitsNewcomer: false,
                answerTo: address.completing(CheckWebhook.Response.self, from: engine) { _ in response })
        }
        guard let port = table.deadLetters else { return sendAnswer([], nil) }
        port.deadLetters(of: request.id, after: page.serial, limit: page.limit, sendAnswer)
    }

    /// `webhook.replay`
    static let replayDeadLetters = CommandTable.Declaration(ReplayDeadLetters.self, .server, .admin, isRead: false) {
        (table, data, caller, mayActAs, address) throws(Rejection) in
        let request = try table.requests.decode(ReplayDeadLetters.self, from: data, mayActAs: mayActAs)
        try request.checkFields()
        let sendAnswer: @Sendable (Int?) -> Void = { [engine = table.engine] count in
            engine.query(
                CheckWebhook(id: request.id), as: caller, admitsNewcomer: false,
                answerTo: address.completing(CheckWebhook.Response.self, from: engine) { _ throws(Rejection) in
                    guard let count else { throw Rejection(.outcomeUnknown) }
                    return ReplayDeadLetters.Response(replayed: count)
                })
        }
        guard let port = table.deadLetters else { return sendAnswer(0) }
        port.replay(request.eventIDs, of: request.id, sendAnswer)
    }
}

extension ReturnAddress {
    /// Returns an address that completes the chat's answer and forwards it to this one. Rejections are forwarded
    /// unchanged.
    ///
    /// - Parameters:
    ///   - known: The type of the chat's answer.
    ///   - response: Makes the response from that answer, on any queue.
    fileprivate func completing<Known: Sendable, Response: Encodable & Sendable>(
        _ known: Known.Type, from engine: ChatEngine,
        _ response: @escaping @Sendable (Known) throws(Rejection) -> Response
    ) -> ReturnAddress {
        ReturnAddress(guestOrigin: guestOrigin) { answer in
            let completed: Answer
            do throws(Rejection) {
                guard let known = try answer.get() as? Known else { throw Rejection(.internal) }
                completed = .success(try response(known))
            } catch {
                completed = .failure(error)
            }
            engine.deliver(completed, to: self)
        }
    }
}
