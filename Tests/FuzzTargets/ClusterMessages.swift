// Compiled together with the messages of Replication by Tests/fuzz, with SwiftProtobuf and ChatModel as modules.
//
//     kind: u8 (even: a message of the log; odd: a beat) | the encoded message

/// Reads any bytes that a bus or a log store may contain: yields a message or a documented error, never a trap. A message
/// means the same after encoding it again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzClusterMessages(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let kind = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    if kind % 2 == 0 {
        guard let message = try? LogMessage(bytes) else { return 0 }
        let encoded = message.encoded()
        // Bytes of any other encoder may be shorter or longer than ours.
        guard encoded.count <= LogMessage.sizeLimit else { return 0 }
        precondition((try? LogMessage(encoded)) == message, "another message")
    } else {
        guard let beat = try? NodeBeat(bytes) else { return 0 }
        precondition((try? NodeBeat(beat.encoded())) == beat, "another beat")
    }
    return 0
}
