// Compiled together with UTF8Validator.swift by Tests/fuzz.
//
//     step: u8 | bytes as they come

/// The incremental validator's verdict equals the standard library's verdict for the whole text, however the bytes are
/// split, and is given at the first byte that cannot be valid.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTextPieces(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    guard let step = input.first else { return 0 }
    let bytes = Array(input[1...])
    let isText = String(validating: bytes, as: UTF8.self) != nil
    precondition(UTF8Validator.isValid(bytes.span) == isText, "the whole is judged otherwise")
    for step in [Int.max, 1, 1 + Int(step)] { precondition(isValid(bytes, step: step) == isText, "pieces are") }
    var validator = UTF8Validator()
    let firstWrong = bytes.indices.first { place in
        !bytes[place...place].withUnsafeBytes { validator.validate($0) }
    }
    // Some continuation before the refused byte would have been valid.
    if let firstWrong { precondition(canBecomeText(Array(bytes[..<firstWrong])), "it is said too late") }
    return 0
}

private func isValid(_ bytes: [UInt8], step: Int) -> Bool {
    var validator = UTF8Validator()
    var place = 0
    while place < bytes.count {
        let end = place + min(step, bytes.count - place)
        guard bytes[place..<end].withUnsafeBytes({ validator.validate($0) }) else { return false }
        place = end
    }
    return validator.isComplete
}

private func canBecomeText(_ bytes: [UInt8]) -> Bool {
    let endings: [[UInt8]] = [
        [], [0x80], [0x80, 0x80], [0x80, 0x80, 0x80], [0xBF], [0xBF, 0x80], [0xBF, 0x80, 0x80],
    ]
    return endings.contains { String(validating: bytes + $0, as: UTF8.self) != nil }
}
