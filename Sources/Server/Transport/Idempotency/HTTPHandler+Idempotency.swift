import API
import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import HTTPCodec
import HTTPTypes
import WireProtocol

/// Commands over HTTP, with or without an idempotency key.
extension HTTPHandler {
    func startCommand(
        _ method: String, _ fields: HTTPFields, _ sender: Caller?, _ owner: IdempotencyStore.Owner?
    ) throws(Rejection) {
        // Reads return the current state and can be repeated safely, so their key is ignored.
        guard let key = try idempotencyKey(in: fields), !CommandTable.isRead(method) else {
            return try services.chat.commands.start(method, body[...], by: sender, answerTo: returnAddress)
        }
        // Without credentials, anyone who guesses the key would get the response.
        guard let owner else { throw Rejection(.badRequest, "Idempotency-Key needs credentials") }
        let name = IdempotencyStore.Name(owner: owner, key: key.text)
        let body = body
        guard services.chat.isClustered else { return try startOnce(name, method, body, sender) }
        // Another node may have answered the same request.
        services.chat.engine.catchUp(
            inThisExchange { (handler, isCurrent: Bool) in
                do throws(Rejection) {
                    guard isCurrent else { throw Rejection(.storageUnavailable, "this node is behind") }
                    try handler.startOnce(name, method, body, sender)
                } catch {
                    handler.reject(error)
                }
            })
    }

    private func startOnce(
        _ name: IdempotencyStore.Name, _ method: String, _ body: [UInt8], _ sender: Caller?
    ) throws(Rejection) {
        let (services, exchange) = (services, currentExchange)
        let request = RequestFingerprint(method: method, body: body)
        let subject = CommandTable.subjectOfAnswer(method, body[...])?.erasureKey
        if let answer = try services.chat.idempotency.begin(name, request, subject: subject, at: services.wallClock()) {
            return repeatAnswer(answer, method, body, to: name.owner)
        }
        // Store the response even if the connection has closed, because that is the purpose of the key.
        let claim =
            services.chat.isClustered ? services.chat.idempotency.claim(name, request, subject: subject) : nil
        let address = ReturnAddress(guestOrigin: returnAddress.guestOrigin, claim: claim) { answer in
            exchange.server.loop.post {
                let kept = StoredResponse(answer, exchange.server.encoder)
                services.chat.idempotency.finish(name, with: kept, at: services.wallClock())
                exchange.resume { $0.send(kept) }
            }
        }
        do throws(Rejection) {
            try services.chat.commands.start(method, body[...], by: sender, answerTo: address)
        } catch {
            services.chat.idempotency.cancel(name)
            throw error
        }
    }

    private func idempotencyKey(in fields: HTTPFields) throws(Rejection) -> IdempotencyKey? {
        do throws(IdempotencyKey.Invalid) {
            return try IdempotencyKey.parse(fields[values: .idempotencyKey])
        } catch {
            throw Rejection(.badRequest, "Idempotency-Key: must be one string of 1 to 255 characters in double quotes")
        }
    }

    /// Sends a stored response again. A user gets it only if the chat would still allow the request: not after
    /// deactivation, not in a channel the user has left, and not for a deleted message.
    private func repeatAnswer(
        _ answer: StoredResponse, _ method: String, _ body: [UInt8], to owner: IdempotencyStore.Owner
    ) {
        guard case .user(let user) = owner else { return send(answer) }
        let recall = RecallAnswer(
            of: CommandTable.channelOfAnswer(method, body[...], answer), message: CommandTable.messageOfAnswer(answer))
        let sendHere = inThisExchange { (handler, verdict: Answer) in
            switch verdict {
            case .success: handler.send(answer)
            case .failure(let rejection): handler.reject(rejection)
            }
        }
        let address = ReturnAddress(guestOrigin: returnAddress.guestOrigin, sendHere)
        services.chat.engine.query(recall, as: .user(user), admitsNewcomer: false, answerTo: address)
    }

    private func send(_ answer: StoredResponse) {
        switch answer {
        case .result(let json): respond(.result(json))
        case .rejected(let rejection): reject(rejection)
        }
    }
}
