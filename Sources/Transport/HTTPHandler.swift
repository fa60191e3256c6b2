import API
import ChatEngine
import EventLoops
import Gateway
import HTTPCodec
import HTTPTypes
import WebSocketCodec
import WireProtocol

/// The HTTP/1.1 front of a connection: one request after the other, until it is upgraded or ends.
///
/// Confined to its connection's loop.
final class HTTPHandler: ConnectionHandler {
    private enum State {
        case reading
        /// The request is with the chat or the token verifier; nothing more is read until it is answered.
        case answering
    }

    private unowned let connection: ServerConnection
    private var decoder: RequestDecoder
    private var state = State.reading
    private var head: RequestHead?
    private var body: [UInt8] = []
    private var deadline: Int64
    /// Whether the clock of the current request runs; between two requests it does not. The first request of a
    /// connection is awaited from the start.
    private var hasBegun = true
    /// Numbers the requests, so that a late answer cannot meet another one.
    private var exchange: UInt32 = 0

    init(_ connection: ServerConnection) {
        self.connection = connection
        let limits = connection.server.services.limits
        decoder = RequestDecoder(limits: limits.http)
        deadline = connection.server.now + limits.requestMilliseconds
    }

    private var server: LoopServer { connection.server }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        if !hasBegun {
            hasBegun = true
            deadline = server.now + server.services.limits.requestMilliseconds
        }
        decoder.feed(bytes)
        resume()
    }

    func resume() {
        do throws(HTTPViolation) {
            while connection.isOpen, connection.takesAnswers, case .reading = state, let part = try decoder.next() {
                switch part {
                case .head(let head): if begin(head) { return }
                case .body(let bytes): body += bytes
                case .end: dispatch()
                }
            }
        } catch {
            server.services.metrics.violations.increment()
            respond(.text(error.status, error.description + "\n"), closes: true)
        }
        guard connection.isOpen else { return }
        if case .reading = state, connection.takesAnswers {
            connection.resumeReading()
        } else {
            connection.pauseReading()
        }
    }

    // MARK: Requests

    /// - Returns: True when the connection is no longer ours to read.
    private func begin(_ head: RequestHead) -> Bool {
        self.head = head
        body = []
        switch HTTPRoute(head.request, hasEcho: server.services.hasEcho) {
        case .webSocket: return upgrade(head) { WebSocketHandler($0, upgradeToken: $1) }
        case .echo: return upgrade(head) { connection, _ in EchoHandler(connection) }
        default:
            if head.expectsContinue {
                var interim: [UInt8] = []
                ResponseEncoder.append(
                    HTTPResponse(status: .continue), body: [], closes: false, to: &interim)
                connection.write(interim)
            }
            return false
        }
    }

    private func upgrade(
        _ head: RequestHead, _ make: (ServerConnection, String?) -> any ConnectionHandler
    ) -> Bool {
        switch ServerHandshake.respond(to: head.request) {
        case .accepted(let response) where head.framing == .none:
            var bytes: [UInt8] = []
            ResponseEncoder.append(response, body: [], closes: false, to: &bytes)
            connection.write(bytes)
            var token: String?
            if case .token(let text) = Credentials(head.request.headerFields) { token = text }
            let unconsumed = decoder.takeUnconsumed()
            connection.handOver(to: make(connection, token), unconsumed: unconsumed)
            return true
        case .accepted: respond(.text(.badRequest, "an upgrade has no body\n"), closes: true)
        case .refused(let response, let reason):
            var answer = HTTPAnswer.text(response.status, reason + "\n")
            answer.response.headerFields.append(contentsOf: response.headerFields)
            respond(answer, closes: true)
        }
        return true
    }

    private func dispatch() {
        guard let head else { return }
        let services = server.services
        switch HTTPRoute(head.request, hasEcho: services.hasEcho) {
        case .live: respond(.text(.ok, "alive\n"))
        case .ready:
            respond(
                services.readiness.isReady ? .text(.ok, "ready\n") : .text(.serviceUnavailable, "not ready\n"))
        case .metrics:
            respond(
                HTTPAnswer(.ok, "text/plain; version=0.0.4; charset=utf-8", body: Array(services.metricsText().utf8)))
        case .openAPI: respond(.result(APIDocuments.openAPI))
        case .asyncAPI: respond(.result(APIDocuments.asyncAPI))
        case .command(let method): authenticate(head.request.headerFields, method)
        case .methodNotAllowed(let allowed):
            var answer = HTTPAnswer.text(.methodNotAllowed, "use \(allowed)\n")
            answer.response.headerFields[.allow] = allowed
            respond(answer)
        case .notFound, .webSocket, .echo: respond(.text(.notFound, "not found\n"))
        }
    }

    private func authenticate(_ fields: HTTPFields, _ method: String) {
        state = .answering
        exchange &+= 1
        switch Credentials(fields) {
        case .apiKey(let key):
            guard let expected = server.services.apiKey, expected.matches(key) else {
                return reject(Rejection(.unauthorized, "X-API-Key"))
            }
            start(method, .server)
        case .token(let token):
            let (server, id, exchange) = (server, connection.id, exchange)
            server.services.tokens.verify(token) { result in
                server.loop.post {
                    _ = server.connection(id)?.with(HTTPHandler.self) { $0.verified(result, exchange, method) }
                }
            }
        case .none: reject(Rejection(.unauthorized, "Authorization: Bearer or X-API-Key"))
        case .unusable: reject(Rejection(.unauthorized, "one Authorization: Bearer or one X-API-Key"))
        }
    }

    private func verified(_ result: Result<Identity, TokenRefusal>, _ exchange: UInt32, _ method: String) {
        guard exchange == self.exchange, case .answering = state else { return }
        switch result {
        case .success(let identity): start(method, .user(identity.user))
        case .failure(.expired): reject(Rejection(.tokenExpired))
        case .failure: reject(Rejection(.unauthorized, "token"))
        }
        resume()
    }

    private func start(_ method: String, _ authority: CommandTable.Authority) {
        let address = ReturnAddress(connection: connection.id, command: exchange)
        do throws(Rejection) {
            try server.services.commands.start(method, body, by: authority, answerTo: address)
        } catch {
            reject(error)
        }
    }

    // MARK: Answers

    func answered(_ command: UInt32, _ answer: Answer) {
        guard command == exchange, case .answering = state else { return }
        switch answer {
        case .success(let result): respond(.result(server.encoder.encode(result)))
        case .failure(let rejection): respond(.rejected(rejection))
        }
        resume()
    }

    private func reject(_ rejection: Rejection) { respond(.rejected(rejection)) }

    private func respond(_ answer: HTTPAnswer, closes: Bool = false) {
        let closes = closes || !(head?.keepAlive ?? false) || !server.services.readiness.isReady
        var bytes: [UInt8] = []
        var answer = answer
        // RFC 9110 §6.6.1: an origin server with a clock tells the time.
        answer.response.headerFields[.date] = server.httpDate
        ResponseEncoder.append(
            answer.response, body: answer.body, closes: closes, includesBody: head?.request.method != .head,
            to: &bytes)
        head = nil
        body = []
        state = .reading
        if closes { return connection.finish(bytes) }
        connection.write(bytes, isAnswer: true)
        hasBegun = decoder.bufferedBytes > 0
        let limits = server.services.limits
        deadline = server.now + (hasBegun ? limits.requestMilliseconds : limits.keepAliveMilliseconds)
    }

    // MARK: Time and the end

    var nextDeadline: Int64? {
        guard case .reading = state, connection.takesAnswers else { return nil }
        return deadline
    }

    func tick(now: Int64) {
        guard case .reading = state, connection.takesAnswers, now >= deadline else { return }
        if head == nil, decoder.bufferedBytes == 0 { return connection.finish([]) }
        respond(.text(.requestTimeout, "the request took too long\n"), closes: true)
    }

    func drain() {
        if case .reading = state { connection.finish([]) }
    }

    func fallenBehind() { connection.finish([]) }
}
