import ChatModel

/// The end of a history page, opaque to clients: version, offset and a hash of the filters.
///
///     1.<offset, base 36>.<hash of the filters, base 36>
struct PageToken {
    /// The oldest offset of the previous page; the next page starts before it.
    let offset: UInt64
    let filterHash: UInt64

    var text: String { "1.\(String(offset, radix: 36)).\(String(filterHash, radix: 36))" }

    init(offset: UInt64, filterHash: UInt64) {
        self.offset = offset
        self.filterHash = filterHash
    }

    /// - Throws: 107 if the token was not issued here or belongs to other filters.
    init(_ text: String, filterHash: UInt64) throws(Rejection) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "1", let offset = UInt64(parts[1], radix: 36),
            let hash = UInt64(parts[2], radix: 36)
        else { throw Rejection(.badRequest, "next: must be the token of a previous response") }
        guard hash == filterHash else { throw Rejection(.badRequest, "next: the token belongs to other filters") }
        self.init(offset: offset, filterHash: filterHash)
    }
}

/// A 64-bit FNV-1a hash, which, unlike `Hasher`, is the same in every process.
struct StableHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func combine(_ text: String?) {
        // These two bytes never occur in UTF-8. They separate fields, and distinguish an absent field from an empty
        // one.
        guard let text else { return mix(0xFE) }
        for byte in text.utf8 { mix(byte) }
        mix(0xFF)
    }

    private mutating func mix(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
