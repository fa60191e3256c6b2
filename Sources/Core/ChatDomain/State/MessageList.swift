import ChatModel

/// The messages of a channel by place, and their places by id. Stored in pieces, because a growing array moves all its
/// elements, which takes too long for many.
struct MessageList: RandomAccessCollection {
    private static let pieceBits = 10
    private static let pieceMask = (1 << pieceBits) - 1

    /// Full pieces, followed by one that may have space left.
    private var pieces: [[StoredMessage]] = []
    private(set) var count = 0
    /// The places by id; `nil` as long as ids ascend, because a binary search then finds the place.
    private var placesByID: ShardedDictionary<MessageID, Int>?

    var startIndex: Int { 0 }
    var endIndex: Int { count }
    var indices: Range<Int> { 0..<count }

    subscript(place: Int) -> StoredMessage {
        get { pieces[place >> Self.pieceBits][place & Self.pieceMask] }
        _modify { yield &pieces[place >> Self.pieceBits][place & Self.pieceMask] }
    }

    mutating func append(_ message: StoredMessage) {
        if count & Self.pieceMask == 0 {
            var piece: [StoredMessage] = []
            // The first piece grows on demand, because there are many small channels.
            if count > 0 { piece.reserveCapacity(1 << Self.pieceBits) }
            pieces.append(piece)
        }
        let ascends = count == 0 || id(at: count - 1) < message.id
        pieces[count >> Self.pieceBits].append(message)
        count += 1
        if placesByID != nil {
            _ = placesByID?.updateValue(count - 1, forKey: message.id)
        } else if !ascends {
            indexAll()
        }
    }

    private mutating func indexAll() {
        var places = ShardedDictionary<MessageID, Int>()
        for place in indices { _ = places.updateValue(place, forKey: id(at: place)) }
        placesByID = places
    }

    private func id(at place: Int) -> MessageID { pieces[place >> Self.pieceBits][place & Self.pieceMask].id }

    /// Returns the place of a message in O(log n), and faster for new messages, which most commands are about.
    func place(of id: MessageID) -> Int? {
        if let placesByID { return placesByID[id] }
        // The place is in `low..<high`. The range before `count` doubles until it contains the id.
        var (low, high, step) = (0, count, 1)
        while step <= high {
            let place = count - step
            if self.id(at: place) <= id {
                low = place
                break
            }
            high = place
            step *= 2
        }
        while low < high {
            let middle = low + (high - low) / 2
            let found = self.id(at: middle)
            if found == id { return middle }
            if found < id { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
