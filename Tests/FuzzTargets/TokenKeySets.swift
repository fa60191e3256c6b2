// Compiled together with TokenKeySet, JSONWebKey, TokenKeyPEM, TokenKey, TokenAlgorithm and Base64URL of API, with WireProtocol and
// Cryptography as modules, by Tests/fuzz.
//
//     a JWK set, or blocks of PEM

/// Yields keys or a reason, never a trap. There is at most one key per algorithm and name, none for the secret, and no
/// more than allowed. An operator's file and a published set give the same keys.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTokenKeySets(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    let own = try? TokenKeySet.read(bytes)
    let published = try? TokenKeySet.published(bytes)
    if let own { check(own) }
    // Any bytes may come as a signature.
    for key in (own ?? []).prefix(3) { _ = key.isValid(Array(bytes.suffix(64)), of: "a.b") }
    guard let published else { return 0 }
    check(published.keys)
    precondition(!published.keys.isEmpty, "nothing is taken for something")
    precondition(published.keys.count + published.skipped.count <= TokenKeySet.mostKeys, "too many")
    if published.skipped.isEmpty { precondition(own?.count == published.keys.count, "read in two ways") }
    for error in published.skipped { precondition(error.description.hasPrefix("key "), "not said which") }
    return 0
}

private func check(_ keys: [TokenKey]) {
    precondition(keys.count <= TokenKeySet.mostKeys, "too many")
    precondition(!keys.contains { $0.algorithm == .hs256 }, "a secret")
    let named = keys.filter { $0.id != nil }.map { "\($0.algorithm.rawValue) \($0.id ?? "")" }
    precondition(Set(named).count == named.count, "two of a name")
    precondition(!keys.contains { $0.id.map { $0.isEmpty || $0.utf8.count > 256 } ?? false }, "no name")
}
