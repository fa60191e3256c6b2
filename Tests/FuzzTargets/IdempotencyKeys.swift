// Compiled together with IdempotencyKey by Tests/fuzz.
//
//     the value of Idempotency-Key

/// Yields a key or none, never a trap. A parsed key round-trips.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzIdempotencyKeys(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    guard let key = IdempotencyKey(text) else { return 0 }
    precondition(IdempotencyKey.lengths.contains(key.text.utf8.count), "of another length")
    var written = "\""
    for character in key.text { written += character == "\"" || character == "\\" ? "\\\(character)" : "\(character)" }
    precondition(IdempotencyKey(written + "\"") == key, "written and read again")
    return 0
}
