import ChatModel

/// The bodies of up to `BodyBlock.capacity` consecutive messages: the first of them on disk, the last ones in memory.
/// Some may be in both places.
struct BodySlot {
    /// A block on disk.
    struct Stored: Sendable {
        let part: BlockPart
        let cache: BlockCache

        var reference: BlockReference { part.reference }
        /// The number of bodies in it.
        var count: Int { part.count }
    }

    private(set) var stored: Stored?
    /// The index of the first body in memory: 0, or the number of stored ones.
    private var first = 0
    private var block = BodyBlock()
    /// When a body was last changed, in milliseconds since 1970.
    private var changedAt = Int64.min
    /// Whether a body on disk has a client id that must not stay there.
    private(set) var isStale = false

    init() {}

    /// Creates a slot whose bodies are on disk. The messages follow, whose bodies are then ignored.
    init(_ stored: Stored) {
        self.stored = stored
        first = stored.count
    }

    var count: Int { first + block.count }
    /// The memory taken by bodies that are on disk as well, in bytes.
    var sizeToForget: Int { stored != nil && first == 0 ? block.size : 0 }
    var size: Int { block.size }

    /// Whether a body is only on disk, so that a change of it has to be kept elsewhere.
    func isOnDisk(_ index: Int) -> Bool { index < first }

    /// - Parameter index: The next index; ignored if that body is on disk.
    mutating func append(_ body: MessageBody, at index: Int) {
        guard index >= first else { return }
        // What precedes it was removed before the channel was loaded.
        while count < index { block.append(MessageBody()) }
        block.append(body)
    }

    /// - Parameter change: What replaces the body if it is on disk.
    func content(_ index: Int, change: @autoclosure () -> MessageBody?) -> StoredMessage.Content {
        guard isOnDisk(index), let stored else { return .stored(block, index: index - first) }
        return .onDisk(BodyOnDisk(stored: stored, index: index, change: change()))
    }

    func hasClientID(_ clientID: String, _ index: Int) -> Bool {
        guard isOnDisk(index), let stored else { return block.hasClientID(clientID, index - first) }
        guard let block = stored.cache.block(stored.reference), index < block.count else { return false }
        return block.hasClientID(clientID, index)
    }

    /// Replaces a body in memory, or only notes the change of one on disk.
    mutating func update(_ index: Int, text: String, data: String?, extras: MessageExtras?, at time: Int64) {
        changedAt = time
        guard !isOnDisk(index) else { return }
        block.update(index - first, text: text, data: data, extras: extras)
        if let stored, index < stored.count { forgetBlock() }
    }

    /// Notes that a client id must leave the disk.
    mutating func dropClientID(_ index: Int, at time: Int64) {
        changedAt = time
        if isOnDisk(index) { isStale = true } else { forgetBlock() }
    }

    /// Forgets the block on disk if all bodies are in memory as well.
    mutating func forgetBlock() { if first == 0 { stored = nil } }

    /// Whether no body was changed at a time or later.
    func isUnchanged(since time: Int64) -> Bool { changedAt < time }

    /// Records that the first bodies are in a block on disk.
    ///
    /// A body in memory may be newer than the one in the block. If some bodies are only on disk, the others leave the
    /// memory too, and the caller keeps what is newer.
    ///
    /// - Parameter isCurrent: Whether the block has all changes.
    mutating func adopt(_ stored: Stored, isCurrent: Bool) {
        self.stored = stored
        if isCurrent { isStale = false }
        if first > 0 { forget() }
    }

    /// Frees the memory of the bodies that are on disk.
    mutating func forget() {
        guard let stored, first < stored.count else { return }
        block.removeFirst(stored.count - first)
        first = stored.count
    }
}

/// A body that is on disk.
struct BodyOnDisk: Sendable {
    let stored: BodySlot.Stored
    let index: Int
    /// What replaces it, except the client id.
    let change: MessageBody?

    var text: String { if let change { change.text } else { read { $0.text(index) } ?? "" } }
    var clientID: String? { read { $0.clientID(index) } }
    var data: String? { if let change { change.data } else { read { $0.data(index) } ?? nil } }
    var extras: MessageExtras? { if let change { change.extras } else { read { $0.extras(index) } ?? nil } }

    private func read<Value>(_ value: (BodyBlock) -> Value) -> Value? {
        guard let block = stored.cache.block(stored.reference), index < block.count else { return nil }
        return value(block)
    }
}
