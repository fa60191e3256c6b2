// Compiled together with TokenHead.swift, TokenAlgorithm.swift and Base64URL.swift of API, and with WireProtocol as a module, by Tests/fuzz.
//
//     the head's JSON, both as it is and in base64url

import Foundation

/// Foundation's parser reads an accepted header as an object with the reported algorithm and key, without critical
/// members, and with numbers that fit an `Int`; never a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTokenHeads(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    let raw = String(decoding: input, as: UTF8.self)
    _ = TokenHead(raw[...])
    let encoded = Data(input).base64EncodedString().map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" }
    guard let head = TokenHead(String(encoded)[...]) else { return 0 }
    guard let fields = try? JSONSerialization.jsonObject(with: Data(input)) as? [String: Any] else {
        // Foundation is stricter about lone surrogates and refuses them.
        return 0
    }
    precondition(fields["alg"] as? String == head.algorithm.rawValue, "another algorithm")
    precondition(fields["kid"] as? String == head.keyID || fields["kid"] is NSNull, "another key")
    precondition(fields["crit"] == nil, "something critical")
    for value in fields.values {
        precondition(!(value is [Any]) && !(value is [String: Any]), "a key or a certificate")
        if let number = value as? NSNumber { precondition(Int(exactly: number.doubleValue.rounded()) != nil) }
    }
    return 0
}
