/// Reads any content of a binary message: yields a list of commands or a documented error, never a trap. Accepted
/// commands mean the same in the JSON form, which has a separate parser.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let message = Array(UnsafeBufferPointer(start: start, count: count))
    guard let envelopes = try? Array(CommandFrame(protobuf: message)) else { return 0 }
    for envelope in envelopes {
        var envelope = envelope
        // Any bytes are allowed in this field, but only JSON in the other form.
        if case .rpc(let method, _) = envelope.command { envelope.command = .rpc(method: method, data: []) }
        guard (try? Array(CommandFrame(envelope.encoded()))) == [envelope] else {
            fatalError("\(envelope) does not come back")
        }
    }
    return 0
}
