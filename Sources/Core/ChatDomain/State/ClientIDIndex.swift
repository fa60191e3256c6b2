import ChatModel

/// An index of messages by sender and client id. Stores only a keyed hash and a place per message; the messages contain
/// the ids.
struct ClientIDIndex {
    private struct Key: Hashable {
        let sender: UserID?
        /// Bytes, because ids are opaque and Swift treats canonically equivalent strings as equal.
        let clientID: [UInt8]
    }

    private var places = ShardedDictionary<Int, Int>()
    /// Entries whose hash collides with that of an earlier entry.
    private var collisions: [Key: Int] = [:]
    private let hash: @Sendable (UserID?, String) -> Int

    /// - Parameter hash: A function that is deterministic within a process. Senders cannot predict the results of the
    ///   default.
    init(hash: @escaping @Sendable (UserID?, String) -> Int = Self.hash) { self.hash = hash }

    mutating func reserve(_ count: Int) { places.reserveCapacity(count) }

    /// - Parameter messages: The indexed messages, by place.
    func place<Messages: RandomAccessCollection>(
        of clientID: String, by sender: UserID?, in messages: Messages
    ) -> Int? where Messages.Element == StoredMessage, Messages.Index == Int {
        guard let place = places[hash(sender, clientID)] else { return nil }
        if messages[place].has(clientID, of: sender) { return place }
        return collisions.isEmpty ? nil : collisions[Key(sender: sender, clientID: Array(clientID.utf8))]
    }

    /// Adds the message at a place, if it has a client id.
    mutating func insert<Messages: RandomAccessCollection>(_ place: Int, in messages: Messages)
    where Messages.Element == StoredMessage, Messages.Index == Int {
        let message = messages[place]
        guard let clientID = message.clientID else { return }
        let hash = hash(message.sender, clientID)
        if let other = places[hash], !messages[other].has(clientID, of: message.sender) {
            collisions[Key(sender: message.sender, clientID: Array(clientID.utf8))] = place
        } else {
            places[hash] = place
        }
    }

    private static let hash: @Sendable (UserID?, String) -> Int = { sender, clientID in
        var hasher = Hasher()
        hasher.combine(sender)
        var clientID = clientID
        clientID.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }
}

extension StoredMessage {
    fileprivate func has(_ clientID: String, of sender: UserID?) -> Bool {
        self.sender == sender && (self.clientID.map { $0.utf8.elementsEqual(clientID.utf8) } ?? false)
    }
}
