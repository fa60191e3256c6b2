import API
import HTTPCodec
import HTTPTypes
import WebSocketCodec

/// The outcome of the handshake.
struct UpgradeAgreement {
    let subprotocol: String?
    let deflate: DeflateParameters?
    /// The token from the request's `Authorization` field.
    let token: String?
}

/// The upgrade from HTTP to WebSocket.
extension HTTPHandler {
    func upgrade(
        _ head: RequestHead, _ policy: DeflatePolicy?, subprotocols: [String] = [],
        _ make: (ServerConnection, UpgradeAgreement) -> any ConnectionHandler
    ) -> Bool {
        if let refusal = refusal(of: head.request.headerFields) {
            respond(refusal, closes: true)
            return true
        }
        switch ServerHandshake.respond(to: head.request, deflate: policy, subprotocols: subprotocols) {
        case .accepted(let response, let deflate) where head.framing == .none:
            var bytes: [UInt8] = []
            ResponseEncoder.append(response, body: [], closes: false, to: &bytes)
            connection.write(bytes)
            var token: String?
            if case .token(let text) = Credentials(head.request.headerFields) { token = text }
            let unconsumed = decoder.removeUnconsumed()
            let agreement = UpgradeAgreement(
                subprotocol: response.headerFields[.secWebSocketProtocol], deflate: deflate, token: token)
            connection.switchProtocol(to: make(connection, agreement), unconsumed: unconsumed)
            return true
        case .accepted: respond(.text(.badRequest, "an upgrade request must not have a body\n"), closes: true)
        case .refused(let response, let reason):
            var answer = HTTPAnswer.text(response.status, reason + "\n")
            answer.response.headerFields.append(contentsOf: response.headerFields)
            respond(answer, closes: true)
        }
        return true
    }

    /// Returns the response to send if this origin or address may not open a WebSocket; nil if it may.
    private func refusal(of fields: HTTPFields) -> HTTPAnswer? {
        let limits = server.limits
        guard limits.origins.allows(fields) else {
            return .text(.forbidden, "the Origin is not in server.allowed_origins\n")
        }
        guard connection.awaitsClientAddress, !limits.proxies.sendHeader, let client = limits.proxies.client(in: fields)
        else { return nil }
        guard !connection.setClientAddress(client) else { return nil }
        var answer = HTTPAnswer.text(.tooManyRequests, "too many connections from this address\n")
        RateLimitFields.addConnectionLimit(quota: limits.census.perAddress, to: &answer.response.headerFields)
        return answer
    }
}
