// Compiled together with ProxyHeader.swift by Tests/fuzz.
//
//     step: u8 | bytes as they come from a proxy

/// Yields an outcome, the same however the bytes are split, and consumes nothing after the header; never a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProxyHeaders(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    guard let step = input.first else { return 0 }
    let bytes = UnsafeRawBufferPointer(rebasing: input[1...])
    let whole = read(bytes, step: .max)
    precondition(whole == read(bytes, step: 1), "cut into single bytes it differs")
    precondition(whole == read(bytes, step: 1 + Int(step)), "cut it differs")
    return 0
}

private struct Reading: Equatable {
    var outcome = ProxyHeaderReader.Outcome.incomplete
    /// The end of the header; the cuts determine how soon a malformed one is detected.
    var end = 0
}

private func read(_ bytes: UnsafeRawBufferPointer, step: Int) -> Reading {
    var reader = ProxyHeaderReader()
    var reading = Reading()
    while reading.end < bytes.count {
        let wanted = reader.bytesNeeded
        precondition(wanted > 0 && wanted <= ProxyHeaderReader.longestBlock, "a bounded piece is wanted")
        let end = min(bytes.count, reading.end + min(wanted, step))
        let outcome = reader.feed(UnsafeRawBufferPointer(rebasing: bytes[reading.end..<end]))
        reading.end = end
        if outcome == .incomplete { continue }
        reading.outcome = outcome
        if outcome == .malformed { reading.end = 0 }
        return reading
    }
    return reading
}
