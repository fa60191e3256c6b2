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
        _ method: String, _ fields: HTTPFields, _ authority: CommandTable.Authority, _ caller: AnswerMemory.Caller?
    ) throws(Rejection) {
        let (services, server, address) = (server.services, server, returnAddress)
        // Reads may be repeated freely and return the current state, so their key is ignored.
        guard let key = try idempotencyKey(in: fields), !CommandTable.isRead(method) else {
            return try services.commands.start(method, body[...], by: authority, answerTo: address)
        }
        // Without credentials, anyone who guesses the key would get the answer.
        guard let caller else { throw Rejection(.badRequest, "Idempotency-Key: needs credentials") }
        let name = AnswerMemory.Name(caller: caller, key: key.text)
        let request = RequestFingerprint(method: method, body: body)
        let beginning = try services.idempotency.begin(
            name, request, from: address.guestOrigin, at: services.wallClock()
        ) { answer in
            server.loop.post {
                let kept = KeptAnswer(answer, server.encoder)
                services.idempotency.finish(name, with: kept, at: services.wallClock())
                _ = server.connection(address.connection)?.with(HTTPHandler.self) { $0.answered(address, kept) }
            }
        }
        switch beginning {
        case .again(let answer): giveAgain(answer, method, to: caller)
        case .fresh(let desk):
            do throws(Rejection) {
                try services.commands.start(method, body[...], by: authority, answerTo: desk)
            } catch {
                services.idempotency.cancel(desk, name)
                throw error
            }
        }
    }

    private func idempotencyKey(in fields: HTTPFields) throws(Rejection) -> IdempotencyKey? {
        do throws(IdempotencyKey.Invalid) {
            return try IdempotencyKey.of(fields[values: .idempotencyKey])
        } catch {
            throw Rejection(.badRequest, "Idempotency-Key: one text in quotation marks of 1 to 255 characters")
        }
    }

    /// Repeats a stored answer. For a user, only if the chat would still allow it: not after deactivation, not from a
    /// channel the user has left, and not for a deleted message.
    private func giveAgain(_ answer: KeptAnswer, _ method: String, to caller: AnswerMemory.Caller) {
        guard case .user(let user) = caller else { return give(answer) }
        let (server, address) = (server, returnAddress)
        let recall = RecallAnswer(
            of: CommandTable.channelOfAnswer(method, body[...], answer), message: CommandTable.messageOfAnswer(answer))
        let desk = server.services.idempotency.awaitAnswer(from: address.guestOrigin) { verdict in
            server.loop.post {
                _ = server.connection(address.connection)?.with(HTTPHandler.self) { handler in
                    switch verdict {
                    case .success: handler.answered(address, answer)
                    case .failure(let rejection): handler.answered(address, .rejected(rejection))
                    }
                }
            }
        }
        server.services.engine.query(recall, as: .user(user), admitsNewcomer: false, answerTo: desk)
    }

    private func answered(_ address: ReturnAddress, _ answer: KeptAnswer) {
        guard isAwaiting(address) else { return }
        give(answer)
        resume()
    }

    private func give(_ answer: KeptAnswer) {
        switch answer {
        case .result(let json): respond(.result(json))
        case .rejected(let rejection): reject(rejection)
        }
    }
}
