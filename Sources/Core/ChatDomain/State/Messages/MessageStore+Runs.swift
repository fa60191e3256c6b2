import ChatModel

// Messages in runs on disk. In a state that is not sparse, all messages are in memory, and nothing here has an effect.
extension MessageStore {
    /// Adds runs of messages that follow, of a sparse state.
    ///
    /// - Parameter firstOffset: The offset of the first message that retention did not remove.
    mutating func load(_ parts: [RunPart], of channel: ChannelID, firstOffset: UInt64) throws(StatePart.Problem) {
        for run in parts {
            let last = messages.pieceNumbers.last.flatMap { messages.lastOffset(ofPiece: $0) } ?? 0
            let start = messages.endIndex
            guard run.lastOffset > last, messages.append(run) else { throw .misplacedRun(channel) }
            // It may begin with messages of which only the client id is kept.
            guard messages.startIndex == start, firstOffset > 0 else { continue }
            let piece = messages.piece(of: start)
            load(piece: piece)
            let first = messages.places(inPiece: piece).first { messages.offset(at: $0) >= firstOffset }
            messages.trim(before: first ?? messages.endIndex, keeping: .all)
        }
    }

    /// Has a message in memory, and notes that its reactions change.
    mutating func change(_ id: MessageID) {
        guard messages.isSparse else { return }
        need(id)
        if let place = messages.place(of: id) { messages.touch(place) }
    }

    /// Has a message in memory.
    mutating func need(_ id: MessageID) {
        guard messages.isSparse, messages.place(of: id) == nil else { return }
        for piece in messages.pieces(with: id) { load(piece: piece) }
    }

    /// Has the messages of a range of offsets in memory.
    mutating func need(after offset: UInt64, upTo last: UInt64) {
        guard messages.isSparse else { return }
        for piece in messages.pieceNumbers {
            guard let end = messages.lastOffset(ofPiece: piece), end > offset else { continue }
            load(piece: piece)
            if end > last { return }
        }
    }

    /// Has the last piece in memory if it has space left.
    mutating func needEnd() {
        guard messages.isSparse, let piece = messages.pieceNumbers.last, piece == messages.piece(of: messages.endIndex)
        else { return }
        load(piece: piece)
    }

    /// Has the message at a place in memory.
    mutating func need(at place: Int) {
        if messages.isSparse, messages.keptIndices.contains(place) { load(piece: messages.piece(of: place)) }
    }

    private mutating func load(piece: Int) {
        guard let runs, !messages.isLoaded(piece: piece), let run = messages.run(ofPiece: piece) else { return }
        let first = messages.places(inPiece: piece).lowerBound
        var place = first
        for part in runs.read(run) {
            switch part {
            case .messages(_, let parts):
                for part in parts {
                    load(part, at: place, piece: piece)
                    place += 1
                }
            case .reactions(_, let index, let part): load(part, of: messages.id(at: first + index))
            default: break
            }
        }
    }

    /// Stores all messages that are not on disk in their present form, except the last few.
    ///
    /// - Returns: All runs, in order, and the places of the messages after them.
    func storeRuns<Failure: Error>(
        in store: HistoryStore<Failure>, of channel: ChannelID, _ limits: PieceLimits
    ) throws(Failure) -> (runs: [RunPart], rest: Range<Int>) {
        let kept = messages.pieceNumbers.map { piece in
            messages.run(ofPiece: piece).flatMap { store.keeps($0.reference) ? $0 : nil }
        }
        let firstChanged = kept.firstIndex { $0 == nil }.map { messages.pieceNumbers.lowerBound + $0 }
        let start = firstChanged.map { messages.places(inPiece: $0).lowerBound } ?? messages.endIndex
        let hashes = clientIDHashes(start..<messages.endIndex)
        var stored: [RunPart] = []
        for (piece, run) in zip(messages.pieceNumbers, kept) {
            let places = messages.places(inPiece: piece)
            if let run {
                stored.append(run)
            } else if var run = messages.run(ofPiece: piece), !messages.isLoaded(piece: piece) {
                run.reference = try store.storeRun(runs?.read(run) ?? [])
                stored.append(run)
            } else if piece == messages.pieceNumbers.last, places.count < limits.leastRun {
                return (stored, places)
            } else {
                let ids = places.map { messages.id(at: $0) }
                guard let least = ids.min(), let greatest = ids.max() else { continue }
                let reference = try store.storeRun(runParts(places, of: channel, limits, hashes, first: start))
                stored.append(
                    RunPart(
                        reference: reference, count: places.count, ids: least...greatest,
                        lastOffset: messages.offset(at: places.upperBound - 1)))
            }
        }
        return (stored, messages.endIndex..<messages.endIndex)
    }

    /// - Parameters:
    ///   - hashes: The hashes of the client ids.
    ///   - first: The place of the first one.
    private func runParts(
        _ places: Range<Int>, of channel: ChannelID, _ limits: PieceLimits, _ hashes: [UInt32], first: Int
    ) -> [StatePart] {
        var parts: [StatePart] = []
        places.lazy.map { self.part($0, limits, clientIDHash: hashes[$0 - first]) }
            .inPieces(limits) { parts.append(.messages(channel, MessageColumns($0))) }
        largeReactions(places, of: channel, from: places.lowerBound, limits) { parts.append($0) }
        return parts
    }

    /// Emits the reactions of messages that have too many to share a piece with other messages.
    ///
    /// - Parameter first: The place that counts as 0.
    func largeReactions<Failure: Error>(
        _ places: Range<Int>, of channel: ChannelID, from first: Int, _ limits: PieceLimits,
        _ body: (StatePart) throws(Failure) -> Void
    ) throws(Failure) {
        for place in places where messages.indices.contains(place) {
            guard let reactions = reactions(on: messages.id(at: place)), reactions.count > limits.inlineReactors else {
                continue
            }
            try reactions.parts(limits) { part throws(Failure) in
                try body(.reactions(channel, place: place - first, part))
            }
        }
    }
}
