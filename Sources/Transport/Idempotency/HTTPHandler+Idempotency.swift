import API
import ChatEngine
import Gateway
import HTTPCodec
import HTTPTypes
import WireProtocol

/// Commands over HTTP, with a name or without.
extension HTTPHandler {
    func startCommand(
        _ method: String, _ fields: HTTPFields, _ authority: CommandTable.Authority, _ caller: AnswerMemory.Caller?
    ) throws(Rejection) {
        let (services, server, address) = (server.services, server, returnAddress)
        guard let key = try idempotencyKey(in: fields) else {
            return try services.commands.start(method, body[...], by: authority, answerTo: address)
        }
        // The answer would be given to whoever guesses the name.
        guard let caller else { throw Rejection(.badRequest, "Idempotency-Key: only with credentials") }
        let name = AnswerMemory.Name(caller: caller, key: key.text)
        let request = RequestFingerprint(method: method, body: body)
        let beginning = try services.idempotency.begin(name, request, at: services.wallClock()) { answer in
            server.loop.post {
                let kept = KeptAnswer(answer, server.encoder)
                services.idempotency.finish(name, with: kept, at: services.wallClock())
                _ = server.connection(address.connection)?.with(HTTPHandler.self) { $0.answered(address, kept) }
            }
        }
        switch beginning {
        case .again(let answer): give(answer)
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
