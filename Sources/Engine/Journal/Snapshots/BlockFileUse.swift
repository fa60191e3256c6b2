import ChatDomain

/// How much of each file of blocks a state refers to, and which of them a compaction gives up.
struct BlockFileUse {
    /// The maximum number of files. If there are more, the smallest are merged.
    static let fileLimit = 32

    /// The bytes that the state refers to, by file.
    private(set) var used: [UInt64: Int] = [:]

    init(of state: ChatState) {
        state.visitBlocks { used[$0.part.reference.file, default: 0] += Int($0.part.reference.size) }
        state.visitRuns { used[$0.reference.file, default: 0] += Int($0.reference.size) }
    }

    var files: Set<UInt64> { Set(used.keys) }

    /// Returns the files whose blocks move into a new file: those of which less than half is used, and the smallest
    /// ones if there are too many.
    ///
    /// - Parameter size: Returns the size of a file in bytes; `nil` if it is missing.
    func filesToRewrite(_ size: (UInt64) -> Int?) -> Set<UInt64> {
        var rewritten = Set(used.filter { file, bytes in bytes < (size(file) ?? 0) / 2 }.keys)
        let kept = used.filter { !rewritten.contains($0.key) }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        // Half of them, so that it does not happen each time.
        if kept.count >= Self.fileLimit { rewritten.formUnion(kept.prefix(kept.count / 2).map(\.key)) }
        return rewritten
    }
}
