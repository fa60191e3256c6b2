import API
import ChatModel
import Gateway
import HTTPCodec
import HTTPTypes
import WireProtocol

/// Responses to the client.
extension HTTPHandler {
    func answered(_ command: UInt32, _ answer: Answer) {
        guard let awaited = state.awaitedAnswer(to: command) else { return }
        switch (awaited, answer) {
        case (_, .failure(let rejection)): reject(rejection)
        case (.command, .success(let result)): respond(.result(server.encoder.encode(result)))
        case (.admission, .success): createFile()
        case (.registration(let file), .success(let result)): finishUpload(file, result)
        case (.lookup(let size), .success(let result)): openFoundFile(result, size)
        }
        resume()
    }

    func reject(_ rejection: Rejection) {
        services.metrics.codes.refused(rejection.code)
        respond(.rejected(rejection))
    }

    func respond(_ answer: HTTPAnswer, closes: Bool = false) {
        let closes =
            closes || state.isBodyPending || !(head?.keepAlive ?? false) || !services.content.readiness.isServing
        var bytes: [UInt8] = []
        var answer = answer
        // An origin server with a clock sends the date. RFC 9110 §6.6.1.
        answer.response.headerFields[.date] = server.httpDate
        rateLimit?.add(to: &answer.response.headerFields)
        addCrossOrigin(to: &answer.response.headerFields)
        ResponseEncoder.append(
            answer.response, body: answer.body, closes: closes, includesBody: head?.request.method != .head,
            to: &bytes)
        endResponse(closes: closes)
        if closes { connection.finish(bytes) } else { connection.write(bytes, isAnswer: true) }
    }

    /// Responds like `respond`, with a body that many clients get, so slow readers share its bytes instead of each
    /// holding a copy.
    func respondSharing(_ answer: HTTPAnswer) {
        let (closes, hasBody) = beginAnswer(answer.response, contentLength: Int64(answer.body.count))
        if hasBody, !answer.body.isEmpty { connection.write(answer.body, isAnswer: true) }
        endTransfer(closes: closes)
    }

    private func endResponse(closes: Bool) {
        head = nil
        body = []
        rateLimit = nil
        state.endResponse(closes: closes, hasInput: decoder.bufferedBytes > 0, now: server.now)
    }

    /// Ends the exchange early and sends this answer, unless a route has already begun its response.
    func interrupt(_ answer: HTTPAnswer) {
        guard let route = state.interrupt() else { return respond(answer, closes: true) }
        route.exchange.abandon()
        if route.response == nil { respond(answer, closes: true) } else { connection.finish([]) }
    }

    /// Sends the head of a response whose body follows in pieces.
    ///
    /// - Returns: Whether the connection closes after the response, and whether the peer wants the body.
    func beginAnswer(_ response: HTTPResponse, contentLength: Int64) -> (closes: Bool, hasBody: Bool) {
        let closes = !(head?.keepAlive ?? false) || !services.content.readiness.isServing
        var bytes: [UInt8] = []
        var response = response
        response.headerFields[.date] = server.httpDate
        rateLimit?.add(to: &response.headerFields)
        addCrossOrigin(to: &response.headerFields)
        ResponseEncoder.append(
            response, body: [], closes: closes, contentLength: Int(clamping: contentLength), to: &bytes)
        connection.write(bytes, isAnswer: true)
        return (closes, head?.request.method != .head)
    }

    /// Ends the response after its last piece, or because no more pieces can follow.
    func endTransfer(closes: Bool) {
        let closes = closes || !services.content.readiness.isServing
        endResponse(closes: closes)
        if closes { connection.finish([]) }
    }
}

extension HTTPHandler {
    /// A reference to a connection's current request, usable from any queue.
    struct Exchange: Sendable {
        let server: LoopServer
        let connection: ConnectionID
        let number: UInt32

        /// Continues the exchange on the loop, unless it is over. Must run on the loop.
        func resume(_ body: (HTTPHandler) -> Void) {
            _ = server.connection(connection)?.with(HTTPHandler.self) { handler in
                guard handler.state.isAwaiting(number) else { return }
                body(handler)
                handler.resume()
            }
        }
    }

    var currentExchange: Exchange { Exchange(server: server, connection: connection.id, number: state.number) }

    /// - Returns: A closure, callable from any queue, that passes its value to this exchange on the loop.
    func inThisExchange<Value: Sendable>(
        _ body: @escaping @Sendable (HTTPHandler, Value) -> Void
    ) -> @Sendable (Value) -> Void {
        let exchange = currentExchange
        return { value in
            exchange.server.loop.post { exchange.resume { body($0, value) } }
        }
    }
}
