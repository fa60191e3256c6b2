// Compiled together with HTTPCodec by Tests/fuzz.
//
//     the value of If-None-Match

/// Yields a list or none, never a trap. A parsed list round-trips, in one field or in several.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEntityTags(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    guard case .tags(let tags) = EntityTag.List([text]) else { return 0 }
    precondition(!tags.isEmpty, "an empty list is none")
    let written = tags.map(\.text)
    precondition(EntityTag.List([written.joined(separator: " ,, ")]) == .tags(tags), "written into one field")
    precondition(EntityTag.List(written) == .tags(tags), "written into several fields")
    return 0
}
