import API
import ChatModel
import Gateway
import HTTPCodec
import HTTPTypes
import WireProtocol

/// Responses to the client.
extension HTTPHandler {
    func answered(_ command: UInt32, _ answer: Answer) {
        guard command == exchange, case .answering = state else { return }
        switch answer {
        case _ where transfer != nil: handleFileAnswer(answer)
        case .success(let result): respond(.result(server.encoder.encode(result)))
        case .failure(let rejection): reject(rejection)
        }
        resume()
    }

    func reject(_ rejection: Rejection) {
        server.services.metrics.codes.refused(rejection.code)
        respond(.rejected(rejection))
    }

    func respond(_ answer: HTTPAnswer, closes: Bool = false) {
        let closes = closes || isBodyPending || !(head?.keepAlive ?? false) || !server.services.readiness.isReady
        var bytes: [UInt8] = []
        var answer = answer
        // An origin server with a clock sends the date. RFC 9110 §6.6.1.
        answer.response.headerFields[.date] = server.httpDate
        rateLimit?.add(to: &answer.response.headerFields)
        addCrossOrigin(to: &answer.response.headerFields)
        ResponseEncoder.append(
            answer.response, body: answer.body, closes: closes, includesBody: head?.request.method != .head,
            to: &bytes)
        resetRequest()
        if closes { return connection.finish(bytes) }
        connection.write(bytes, isAnswer: true)
        awaitNextRequest()
    }

    /// Like `respond`, for a body that many clients get: slow readers share its bytes instead of holding a copy each.
    func respondSharing(_ answer: HTTPAnswer) {
        let (closes, hasBody) = beginAnswer(answer.response, contentLength: Int64(answer.body.count))
        if hasBody, !answer.body.isEmpty { connection.write(answer.body, isAnswer: true) }
        endTransfer(closes: closes)
    }

    func resetRequest() {
        head = nil
        body = []
        transfer = nil
        slowSince = nil
        route = nil
        rateLimit = nil
        isBodyPending = false
        state = .reading
    }

    /// Sends the head of a response whose body follows in pieces.
    ///
    /// - Returns: Whether the connection closes after the response, and whether the peer wants the body.
    func beginAnswer(_ response: HTTPResponse, contentLength: Int64) -> (closes: Bool, hasBody: Bool) {
        let closes = !(head?.keepAlive ?? false) || !server.services.readiness.isReady
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

    /// Ends the response: the last piece was sent, or no more can follow.
    func endTransfer(closes: Bool) {
        resetRequest()
        if closes || !server.services.readiness.isReady { return connection.finish([]) }
        awaitNextRequest()
    }

    func awaitNextRequest() {
        hasBegun = decoder.bufferedBytes > 0
        let limits = server.limits
        deadline = server.now + (hasBegun ? limits.requestMilliseconds : limits.keepAliveMilliseconds)
    }
}

extension HTTPHandler {
    /// The current request of a connection, to return to later from any queue.
    struct Exchange: Sendable {
        let server: LoopServer
        let connection: ConnectionID
        let number: UInt32

        /// Continues on the loop; does nothing if the exchange is over. Must run on the loop.
        func resume(_ body: (HTTPHandler) -> Void) {
            _ = server.connection(connection)?.with(HTTPHandler.self) { handler in
                guard case .answering = handler.state, handler.exchange == number else { return }
                body(handler)
                handler.resume()
            }
        }
    }

    var currentExchange: Exchange { Exchange(server: server, connection: connection.id, number: exchange) }

    /// - Returns: A closure for any queue that passes its value to this exchange on the loop.
    func inThisExchange<Value: Sendable>(
        _ body: @escaping @Sendable (HTTPHandler, Value) -> Void
    ) -> @Sendable (Value) -> Void {
        let exchange = currentExchange
        return { value in
            exchange.server.loop.post { exchange.resume { body($0, value) } }
        }
    }
}
