import ChatModel

/// The hash of client ids that a chat uses in all channels.
final class ClientIDHash: Sendable {
    let key: HashKey
    private let hash: @Sendable (UserID?, String, HashKey) -> UInt64

    static let ofProcess = ClientIDHash(.ofProcess)

    /// - Parameter hash: For tests; deterministic.
    init(_ key: HashKey, hash: @escaping @Sendable (UserID?, String, HashKey) -> UInt64 = ClientIDHash.hash) {
        self.key = key
        self.hash = hash
    }

    func callAsFunction(_ sender: UserID?, _ clientID: String) -> UInt32 {
        UInt32(truncatingIfNeeded: hash(sender, clientID, key))
    }

    private static let hash: @Sendable (UserID?, String, HashKey) -> UInt64 = { sender, clientID, key in
        var hash = KeyedHash(key)
        var (sender, clientID) = (sender?.rawValue ?? "", clientID)
        sender.withUTF8 { hash.combine($0) }
        // Never occurs in UTF-8.
        hash.combine(0xFF)
        clientID.withUTF8 { hash.combine($0) }
        return hash.finalize()
    }
}

/// An index of messages by sender and client id. Stores only a keyed hash and a place per message; the bodies contain
/// the ids.
struct ClientIDIndex {
    private var places = PlaceTable()
    private let hash: ClientIDHash

    init(_ hash: ClientIDHash = .ofProcess) { self.hash = hash }

    mutating func reserve(_ count: Int) { places.reserve(count) }

    /// Returns the place of the newest message with a client id; the message may have been removed.
    ///
    /// - Parameter messages: The indexed messages.
    func place(of clientID: String, by sender: UserID?, in messages: MessageList) -> Int? {
        places.place(hash(sender, clientID)) { messages.has(clientID, of: sender, at: $0) }
    }

    /// - Parameter firstKept: The first place whose client id is kept; earlier ones may be forgotten.
    mutating func insert(_ place: Int, _ clientID: String, of sender: UserID?, firstKept: Int) {
        insert(place, hash: hash(sender, clientID), firstKept: firstKept)
    }

    mutating func insert(_ place: Int, hash: UInt32, firstKept: Int) {
        places.insert(place, hash, firstKept: firstKept)
    }

    /// Returns the hashes of the client ids by place, from a place on; 0 for messages without one.
    func hashes(_ range: Range<Int>) -> [UInt32] { places.hashes(range) }
}
