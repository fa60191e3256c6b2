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

    /// Where a piece of a sparse state is on disk.
    private struct Origin {
        /// The run with the same entries; `nil` if there is none.
        var run: RunPart?
        /// From the least to the greatest id.
        var ids: ClosedRange<MessageID>

        mutating func include(_ id: MessageID) { ids = min(ids.lowerBound, id)...max(ids.upperBound, id) }
    }

    /// Full pieces, followed by one that may have space left. A released piece is empty, and so is one on disk.
    private var pieces: [[MessageEntry]] = []
    /// The index of the first entry in the first piece: those before it were removed before the channel was loaded.
    private let first: Int
    /// One for each piece of a sparse state; otherwise empty.
    private var origins: [Origin] = []
    let isSparse: Bool

    /// - Parameter first: The number of the first entry, below `capacity`.
    init(first: Int = 0, isSparse: Bool) {
        self.first = first
        self.isSparse = isSparse
    }

    /// The entry with a number; one without meaning if it is on disk.
    subscript(number: Int) -> MessageEntry {
        let (piece, index) = place(of: number)
        return index < pieces[piece].count ? pieces[piece][index] : .missing
    }

    /// Changes an entry in memory. The run on disk that has it becomes outdated.
    mutating func change(_ number: Int, _ body: (inout MessageEntry) -> Void) {
        let (piece, index) = place(of: number)
        guard index < pieces[piece].count else { return }
        body(&pieces[piece][index])
        touch(number)
    }

    /// - Parameter number: The next number.
    mutating func append(_ entry: MessageEntry, number: Int) {
        let (piece, _) = Self.location(of: number)
        if piece == pieces.count {
            var new: [MessageEntry] = []
            // The first piece grows on demand, because there are many small channels.
            if piece > 0 { new.reserveCapacity(Self.capacity) }
            pieces.append(new)
            if isSparse { origins.append(Origin(ids: entry.id...entry.id)) }
        }
        pieces[piece].append(entry)
        guard isSparse else { return }
        origins[piece].run = nil
        origins[piece].include(entry.id)
    }

    /// Frees the memory of pieces that have only these numbers.
    mutating func release(_ numbers: Range<Int>) {
        for piece in Self.location(of: numbers.lowerBound).piece..<Self.location(of: numbers.upperBound).piece {
            pieces[piece] = []
        }
    }

    private func place(of number: Int) -> (piece: Int, index: Int) {
        let (piece, index) = Self.location(of: number)
        return (piece, piece == 0 ? index - first : index)
    }
}

// Runs on disk, of a sparse state.
extension EntryPieces {
    /// Adds a piece whose entries are on disk.
    ///
    /// - Parameter number: The number of its first message.
    /// - Returns: False if the run does not follow the one before.
    mutating func append(_ run: RunPart, number: Int) -> Bool {
        let (piece, index) = Self.location(of: number)
        guard piece == pieces.count, index == (piece == 0 ? first : 0), run.count > 0,
            index + run.count <= Self.capacity
        else { return false }
        pieces.append([])
        origins.append(Origin(run: run, ids: run.ids))
        return true
    }

    func isLoaded(_ piece: Int) -> Bool { !isSparse || origins[piece].run == nil || !pieces[piece].isEmpty }

    /// The run with the entries of a piece in their present form; `nil` if there is none.
    func run(_ piece: Int) -> RunPart? { isSparse ? origins[piece].run : nil }

    /// Adds an entry that was read from the run of a piece.
    mutating func load(_ entry: MessageEntry, piece: Int) { pieces[piece].append(entry) }

    /// Notes that what a run has of a message in memory is outdated.
    mutating func touch(_ number: Int) {
        let piece = Self.location(of: number).piece
        if isSparse, piece < origins.count, !pieces[piece].isEmpty { origins[piece].run = nil }
    }

    /// The offset of the last message of a piece; `nil` if it was released.
    func lastOffset(_ piece: Int) -> UInt64? { pieces[piece].last?.offset ?? run(piece)?.lastOffset }

    /// Returns whether a message with this id may be in a piece.
    func mayContain(_ id: MessageID, piece: Int) -> Bool { origins[piece].ids.contains(id) }

    /// Returns the number of the message with an id in a piece that is in memory.
    func number(of id: MessageID, piece: Int) -> Int? {
        guard let index = pieces[piece].firstIndex(where: { $0.id == id }) else { return nil }
        return piece << Self.bits + index + (piece == 0 ? first : 0)
    }
}
