extension MessageList {
    /// Returns the place of the first message after an offset. Includes messages removed by retention whose client ids
    /// are kept.
    func firstPlace(after offset: UInt64) -> Int {
        var (low, high) = (keptIndices.lowerBound, keptIndices.upperBound)
        if isSparse {
            guard let piece = pieceNumbers.first(where: { lastOffset(ofPiece: $0) ?? 0 > offset }) else { return high }
            (low, high) = (places(inPiece: piece).lowerBound, places(inPiece: piece).upperBound)
        }
        while low < high {
            let middle = low + (high - low) / 2
            if self.offset(at: middle) <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the places of the messages after an offset, up to another one, in the same way.
    func places(after offset: UInt64, upTo last: UInt64) -> Range<Int> {
        let start = firstPlace(after: offset)
        return start..<Swift.max(start, firstPlace(after: last))
    }
}
