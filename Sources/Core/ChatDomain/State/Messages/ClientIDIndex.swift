import ChatModel

/// An index of messages by sender and client id. Stores only a keyed hash and a place per message; the messages contain
/// the ids.
struct ClientIDIndex {
    private var places = PlaceTable()
    private let hash: @Sendable (UserID?, String) -> Int

    /// - Parameter hash: A function that is deterministic within a process. Senders cannot predict the results of the
    ///   default.
    init(hash: @escaping @Sendable (UserID?, String) -> Int = Self.hash) { self.hash = hash }

    mutating func reserve(_ count: Int) { places.reserve(count) }

    /// Returns the place of the newest message with a client id; the message may have been removed.
    ///
    /// - Parameter messages: The indexed messages.
    func place(of clientID: String, by sender: UserID?, in messages: MessageList) -> Int? {
        places.place(hash(sender, clientID)) { messages.has(clientID, of: sender, at: $0) }
    }

    /// - Parameter firstKept: The first place whose client id is kept; earlier ones may be forgotten.
    mutating func insert(_ place: Int, _ clientID: String, of sender: UserID?, firstKept: Int) {
        places.insert(place, hash(sender, clientID), firstKept: firstKept)
    }

    private static let hash: @Sendable (UserID?, String) -> Int = { sender, clientID in
        var hasher = Hasher()
        hasher.combine(sender)
        var clientID = clientID
        clientID.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }
}
