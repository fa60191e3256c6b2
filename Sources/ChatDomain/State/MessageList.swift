/// The messages of a channel by their places. In pieces: what lies in one piece is moved as a whole when it grows, and that
/// takes long where there are many.
struct MessageList: RandomAccessCollection {
    private static let pieceBits = 10
    private static let pieceMask = (1 << pieceBits) - 1

    /// Full ones, and then one that may not be.
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
            // Small channels are many: the first piece grows step by step.
            if count > 0 { piece.reserveCapacity(1 << Self.pieceBits) }
            pieces.append(piece)
        }
        pieces[count >> Self.pieceBits].append(message)
        count += 1
    }
}
