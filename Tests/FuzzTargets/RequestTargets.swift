// Compiled together with HTTPCodec by Tests/fuzz.
//
//     the text between the method and the version

/// Yields a target equal to the input or an error, never a trap. Its parts reproduce it, and a host in it is
/// unambiguous.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequestTargets(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
    guard let target = try? RequestTarget.parse(bytes.span) else { return 0 }
    let text = String(decoding: bytes, as: UTF8.self)
    precondition(bytes.allSatisfy { (0x21...0x7E).contains($0) }, "a byte that is no URI's")
    switch target {
    case .asterisk: precondition(text == "*")
    case .origin(let path): precondition(path == text && path.hasPrefix("/"), "not as it came")
    case .absolute(let scheme, let authority, let path):
        precondition(text.lowercased().hasPrefix("\(scheme)://\(authority.lowercased())"), "another host")
        precondition(path.hasPrefix("/"), "no path")
        let again = Array("\(scheme)://\(authority)\(path)".utf8)
        precondition((try? RequestTarget.parse(again.span)) == target, "put together and taken apart")
        guard let parts = Authority(authority) else { preconditionFailure("a host that is none") }
        precondition(!parts.host.contains("@") && !parts.host.contains("/") && !parts.host.isEmpty, "user information")
        let written = parts.host + (parts.port.map { ":\($0)" } ?? "")
        precondition(Authority(written) == parts, "written and read again")
    }
    return 0
}
