/// Reads any content of a text frame: yields a list of commands or a documented error, never a trap. Accepted commands
/// can be re-encoded with the same meaning.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Array(UnsafeBufferPointer(start: start, count: count))
    if let envelopes = try? Array(CommandFrame(text)) {
        for envelope in envelopes {
            guard (try? Array(CommandFrame(envelope.encoded()))) == [envelope] else {
                fatalError("\(envelope) does not come back")
            }
        }
    }
    // A client reads the same bytes as a server's message.
    _ = try? ServerMessage.decode(text)
    return 0
}
