/// The messages of a channel by place. Stored in pieces, because a growing array moves all of its elements, which takes
/// long if there are many.
struct MessageList: RandomAccessCollection {
    private static let pieceBits = 10
    private static let pieceMask = (1 << pieceBits) - 1

    /// Full pieces, followed by one that may have space left.
    private var pieces: [[StoredMessage]] = []
    private(set) var count = 0

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
            // There are many small channels, so the first piece grows on demand.
            if count > 0 { piece.reserveCapacity(1 << Self.pieceBits) }
            pieces.append(piece)
        }
        pieces[count >> Self.pieceBits].append(message)
        count += 1
    }
}
