import ChatModel

/// The id of an imported message: a UUIDv7 of its original time, with a hash of the source and the original id in place
/// of the random bits (`PR3`).
struct ImportedID {
    private let random: (UInt64, UInt64)

    /// - Parameters:
    ///   - source: The name of the chat that the message comes from.
    ///   - original: The message's id there.
    init(source: String, original: String) {
        var hash = StableHash()
        hash.combine(source)
        hash.combine(original)
        let low = hash.value
        hash.combine(source)
        random = (hash.value, low)
    }

    func at(_ milliseconds: Int64) -> MessageID { MessageID(milliseconds: milliseconds, random: random) }

    /// The bits of the hash in the second half of the id. They find a message whose time is not known.
    var key: Int { Self.key(of: at(0)) }

    static func key(of id: MessageID) -> Int { Int(truncatingIfNeeded: id.low) }
}
