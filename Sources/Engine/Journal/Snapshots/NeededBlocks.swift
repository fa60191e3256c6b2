import ChatDomain

/// Blocks that snapshots need, by file.
struct NeededBlocks: Sendable, Equatable {
    private var blocks: [UInt64: Set<BlockReference>] = [:]

    var files: Set<UInt64> { Set(blocks.keys) }

    mutating func add(_ block: BlockReference) { blocks[block.file, default: []].insert(block) }

    /// Returns the parts of a file between its header and its seal that no snapshot needs.
    func gaps(in file: UInt64, size: Int) -> [Range<Int>] {
        var gaps: [Range<Int>] = []
        var end = FileHeader.size
        let places = (blocks[file] ?? []).compactMap { block -> Range<Int>? in
            guard let start = Int(exactly: block.offset), start <= size else { return nil }
            return start..<start + Int(block.size)
        }
        for place in places.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if place.lowerBound > end { gaps.append(end..<place.lowerBound) }
            end = max(end, place.upperBound)
        }
        let seal = size - FrameFormat.headerSize
        if seal > end { gaps.append(end..<seal) }
        return gaps
    }
}
