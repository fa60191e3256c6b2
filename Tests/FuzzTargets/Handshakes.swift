// Compiled together with the sources of WebSocketCodec, and with HTTPTypes and Cryptography as modules, by
// Tests/fuzz.
//
//     policy: u8 | the request's fields as `name: value`, separated by newlines; what has no colon is the Host

import HTTPTypes

/// Yields 101 only for a complete handshake, which our client accepts or refuses, and otherwise a 4xx with a reason;
/// never a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHandshakes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    guard let first = input.first else { return 0 }
    let policies: [DeflatePolicy?] = [nil, .everything, .shared(windowBits: 9 + Int(first) % 7)]
    var request = HTTPRequest(method: first & 0x80 == 0 ? .get : .post, scheme: nil, authority: nil, path: "/")
    var answer = HTTPResponse(status: .switchingProtocols)
    for line in input.dropFirst().split(separator: UInt8(ascii: "\n")) {
        let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let value = String(decoding: parts[parts.count - 1], as: UTF8.self)
        guard parts.count == 2 else {
            request.authority = value
            continue
        }
        guard let name = HTTPField.Name(String(decoding: parts[0], as: UTF8.self)) else { continue }
        request.headerFields.append(HTTPField(name: name, value: value))
        answer.headerFields.append(HTTPField(name: name, value: value))
    }
    verify(answer)
    let spoken = ["chat", "v2"]
    switch ServerHandshake.respond(
        to: request, deflate: policies[Int(first) % policies.count], subprotocols: spoken)
    {
    case .refused(let response, let reason):
        precondition([400, 405, 426].contains(response.status.code) && !reason.isEmpty)
    case .accepted(let response, let deflate):
        let fields = request.headerFields
        precondition(response.status == .switchingProtocols && request.method == .get)
        precondition(request.authority?.isEmpty == false)
        precondition(fields[values: .secWebSocketVersion] == ["13"] && fields[values: .secWebSocketKey].count == 1)
        precondition(fields[.secWebSocketKey]?.utf8.count == 24)
        precondition((deflate == nil) == (response.headerFields[.secWebSocketExtensions] == nil))
        let chosen = response.headerFields[values: .secWebSocketProtocol]
        precondition(chosen.count < 2 && chosen.allSatisfy { spoken.contains($0) })
        precondition(chosen.allSatisfy { name in fields[values: .secWebSocketProtocol].contains { $0.contains(name) } })
        verify(response)
    }
    return 0
}

/// The client side reads the same fields, because a fuzzer cannot guess the offered key.
private func verify(_ response: HTTPResponse) {
    let nonce = [UInt8](repeating: 7, count: 16)
    guard let client = try? ClientHandshake(host: "a", path: "/", nonce: nonce) else {
        preconditionFailure("a plain handshake")
    }
    try? client.verify(response)
}
