// Compiled together with the sources of WebSocketCodec by Tests/fuzz.
//
//     policy: u8 | the field's lines, separated by newlines

/// Yields a list or none, a negotiation within the policy and a response that can be parsed again, never a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDeflateOffers(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    guard let first = input.first else { return 0 }
    let policy =
        first == 0 ? DeflatePolicy.everything : .shared(windowBits: 9 + Int(first) % 7)
    let lines = input.dropFirst().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    guard let extensions = WebSocketExtension.list(lines) else { return 0 }
    precondition(extensions.allSatisfy { !$0.name.isEmpty && $0.parameters.allSatisfy { !$0.name.isEmpty } })
    precondition(extensions.count <= input.count)
    guard let parameters = policy.negotiate(extensions) else { return 0 }
    if let bits = parameters.serverMaxWindowBits { precondition(policy.serverWindowBits.contains(bits)) }
    precondition((8...15).contains(parameters.clientMaxWindowBits ?? 15))
    precondition(policy.serverKeepsContext || parameters.serverNoContextTakeover)
    precondition(policy.clientKeepsContext || parameters.clientNoContextTakeover)
    guard let answer = WebSocketExtension.list([parameters.text]), answer.count == 1,
        DeflateOffer(answer[0]) != nil
    else { preconditionFailure("the answer is no element of the field") }
    return 0
}
