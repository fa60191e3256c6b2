import ChatModel

/// The bodies of up to `capacity` consecutive messages of a channel, in memory.
///
/// Texts and client ids are stored one after the other, because a string of its own takes 32 bytes more in memory than
/// its text.
struct BodyBlock: Sendable {
    private static let bits = 6
    /// The maximum number of messages.
    static let capacity = 1 << bits

    /// Where the body of the message with a number is: the number of its block, and its index in it.
    static func location(of number: Int) -> (block: Int, index: Int) { (number >> bits, number & (capacity - 1)) }

    private struct Rare: Sendable {
        let index: Int
        var data: String?
        var extras: MessageExtras?
    }

    /// For each message, its client id followed by its text.
    private var bytes: [UInt8] = []
    /// For each message, where its client id and its text end in `bytes`.
    private var ends: [UInt32] = []
    /// What few messages have, ascending by index.
    private var rare: [Rare] = []

    init() {}

    init(_ bodies: some Sequence<MessageBody>) {
        for body in bodies { append(body) }
        compact()
    }

    var count: Int { ends.count / 2 }

    /// The memory it takes in bytes; an estimate for what few messages have.
    var size: Int {
        guard !ends.isEmpty else { return 0 }
        return bytes.count + 4 * ends.count + 64
            + rare.reduce(0) { $0 + 256 + ($1.data?.utf8.count ?? 0) + ($1.extras?.size ?? 0) }
    }

    mutating func append(_ body: MessageBody) {
        if body.data != nil || body.extras != nil {
            rare.append(Rare(index: count, data: body.data, extras: body.extras))
        }
        if let clientID = body.clientID { bytes.append(contentsOf: clientID.utf8) }
        ends.append(UInt32(clamping: bytes.count))
        bytes.append(contentsOf: body.text.utf8)
        ends.append(UInt32(clamping: bytes.count))
        if count == Self.capacity { compact() }
    }

    /// Takes no more space than needed. Call it when nothing more is appended.
    private mutating func compact() {
        bytes = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            count = bytes.count
            _ = buffer.update(fromContentsOf: bytes)
        }
    }

    /// Removes the first bodies.
    mutating func removeFirst(_ removed: Int) {
        guard removed > 0 else { return }
        guard removed < count else {
            self = BodyBlock()
            return
        }
        let start = ends[2 * removed - 1]
        bytes = Array(bytes[Int(start)...])
        ends = ends[(2 * removed)...].map { $0 - start }
        rare = rare.compactMap { rare in
            rare.index < removed ? nil : Rare(index: rare.index - removed, data: rare.data, extras: rare.extras)
        }
    }

    var bodies: [MessageBody] {
        (0..<count).map { index in
            let clientID = clientID(index)
            return MessageBody(
                text: text(index), clientID: clientID.isEmpty ? nil : clientID, data: data(index),
                extras: extras(index))
        }
    }

    func text(_ index: Int) -> String { string(textRange(index)) }
    func clientID(_ index: Int) -> String { string(clientIDRange(index)) }
    func data(_ index: Int) -> String? { rare(index)?.data }
    func extras(_ index: Int) -> MessageExtras? { rare(index)?.extras }

    /// Compares bytes, because ids are opaque and Swift treats canonically equivalent strings as equal.
    func hasClientID(_ clientID: String, _ index: Int) -> Bool {
        bytes[clientIDRange(index)].elementsEqual(clientID.utf8)
    }

    /// Returns whether nothing is left of a message's body but perhaps the client id.
    func hasNoContent(_ index: Int) -> Bool { index >= count || textRange(index).isEmpty && rare(index) == nil }

    /// Returns whether nothing is left of a message's body.
    func isEmpty(_ index: Int) -> Bool { hasNoContent(index) && (index >= count || clientIDRange(index).isEmpty) }

    /// Replaces the text, data and extras of a message.
    mutating func update(_ index: Int, text: String, data: String?, extras: MessageExtras?) {
        let range = textRange(index)
        let change = text.utf8.count - range.count
        bytes.replaceSubrange(range, with: text.utf8)
        for end in 2 * index + 1..<ends.count { ends[end] = UInt32(clamping: Int(ends[end]) + change) }
        rare.removeAll { $0.index == index }
        guard data != nil || extras != nil else { return }
        let place = rare.firstIndex { $0.index > index } ?? rare.count
        rare.insert(Rare(index: index, data: data, extras: extras), at: place)
    }

    private func rare(_ index: Int) -> Rare? { rare.isEmpty ? nil : rare.first { $0.index == index } }
    private func clientIDRange(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(ends[2 * index - 1]))..<Int(ends[2 * index])
    }
    private func textRange(_ index: Int) -> Range<Int> { Int(ends[2 * index])..<Int(ends[2 * index + 1]) }
    private func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension MessageExtras {
    /// The memory it takes in bytes, about.
    fileprivate var size: Int { 200 + weight }
}
