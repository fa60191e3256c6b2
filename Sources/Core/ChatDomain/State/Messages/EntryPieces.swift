import ChatModel

/// The entries of a channel's messages by number, in pieces, because a growing array moves all its elements, which takes
/// too long for many.
///
/// Numbers ascend without gaps; the first pieces may be released. In a sparse state (`RunSource`), pieces may be on disk
/// until they are needed.
struct EntryPieces {
    private static let bits = 8
    /// The maximum number of entries of a piece, and of messages in a run.
    static let capacity = 1 << bits

    /// The number of the piece of a message, and the message's index in it.
    static func location(of number: Int) -> (piece: Int, index: Int) { (number >> bits, number & (capacity - 1)) }

    private struct Piece {
        /// The index of the first entry: those before it were removed before the channel was loaded.
        var first = 0
        /// Empty while the entries are on disk.
        var entries: [MessageEntry] = []
        /// The run on disk with the same entries; `nil` if there is none.
        var run: RunPart?
        /// From the least to the greatest id.
        var ids: ClosedRange<MessageID>?

        var isLoaded: Bool { run == nil || !entries.isEmpty }

        mutating func include(_ id: MessageID) {
            guard let range = ids else { return ids = id...id }
            if id > range.upperBound {
                ids = range.lowerBound...id
            } else if id < range.lowerBound {
                ids = id...range.upperBound
            }
        }
    }

    /// Full pieces, followed by one that may have space left.
    private var pieces: [Piece] = []

    var count: Int { pieces.count }

    /// The entry with a number; one without meaning if it is on disk.
    subscript(number: Int) -> MessageEntry {
        let (piece, index) = Self.location(of: number)
        let entry = index - pieces[piece].first
        return entry < pieces[piece].entries.count ? pieces[piece].entries[entry] : .missing
    }

    mutating func change(_ number: Int, _ body: (inout MessageEntry) -> Void) {
        let (piece, index) = Self.location(of: number)
        let entry = index - pieces[piece].first
        if entry < pieces[piece].entries.count { body(&pieces[piece].entries[entry]) }
    }

    /// - Parameter number: The next number; for the first entry, any.
    mutating func append(_ entry: MessageEntry, number: Int) {
        let (piece, index) = Self.location(of: number)
        if piece >= pieces.count {
            var new = Piece(first: pieces.isEmpty ? 0 : index)
            // The first piece grows on demand, because there are many small channels.
            if !pieces.isEmpty { new.entries.reserveCapacity(Self.capacity) }
            pieces.append(new)
        }
        if pieces[piece].entries.isEmpty { pieces[piece].first = index }
        pieces[piece].run = nil
        pieces[piece].include(entry.id)
        pieces[piece].entries.append(entry)
    }

    /// Frees the memory of pieces before a number.
    mutating func release(_ numbers: Range<Int>) {
        for piece in Self.location(of: numbers.lowerBound).piece..<Self.location(of: numbers.upperBound).piece {
            pieces[piece] = Piece()
        }
    }
}

// Runs on disk.
extension EntryPieces {
    /// Adds a piece whose entries are on disk.
    ///
    /// - Parameter number: The number of its first message.
    /// - Returns: False if the run does not follow the one before.
    mutating func append(_ run: RunPart, number: Int) -> Bool {
        let (piece, index) = Self.location(of: number)
        guard piece == pieces.count, run.count > 0, index + run.count <= Self.capacity else { return false }
        pieces.append(Piece(first: index, run: run, ids: run.ids))
        return true
    }

    func isLoaded(_ piece: Int) -> Bool { pieces[piece].isLoaded }

    /// The run with the entries of a piece in their present form; `nil` if there is none.
    func run(_ piece: Int) -> RunPart? { pieces[piece].run }

    /// Adds an entry that was read from the run of a piece.
    mutating func load(_ entry: MessageEntry, piece: Int) { pieces[piece].entries.append(entry) }

    /// Notes that the entry with a number changes, so that the run on disk becomes outdated.
    mutating func touch(_ number: Int) {
        let piece = Self.location(of: number).piece
        if piece < pieces.count, pieces[piece].run != nil { pieces[piece].run = nil }
    }

    /// The offset of the last message of a piece; `nil` if the piece is released.
    func lastOffset(_ piece: Int) -> UInt64? { pieces[piece].entries.last?.offset ?? pieces[piece].run?.lastOffset }

    /// Returns whether a message with this id may be in a piece.
    func mayContain(_ id: MessageID, piece: Int) -> Bool { pieces[piece].ids?.contains(id) ?? false }

    /// Returns the number of the message with an id in a piece that is in memory.
    func number(of id: MessageID, piece: Int) -> Int? {
        pieces[piece].entries.firstIndex { $0.id == id }.map { piece << Self.bits + pieces[piece].first + $0 }
    }
}
