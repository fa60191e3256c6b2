import ChatDomain

/// The last frame of the log that the search index has, and the time of its records, which tells one log from another.
package struct SearchProgress: Hashable, Sendable {
    package let frame: UInt64
    /// Milliseconds since 1970.
    package let at: Int64

    package init(frame: UInt64, at: Int64) {
        self.frame = frame
        self.at = at
    }
}

/// The search index, as the engine sees it. It follows the log at its own pace, and only searches wait for it.
package protocol SearchPort: Sendable {
    /// - Returns: What the index has from an earlier run; nil if it must be filled anew. Call it before `append`.
    func begin() -> SearchProgress?

    /// Adds the changes of frames that are durable, in order. Must not block. Call it before the frames are published,
    /// so that whoever receives a message can find it.
    func append(_ changes: [SearchChange], through progress: SearchProgress)

    /// Called once all frames of an earlier run have been appended.
    ///
    /// - Parameter isBehind: Whether the log no longer has what the index lacks, so that the index must be filled anew.
    func start(readingFrom source: any SearchSource, isBehind: Bool)

    /// Answers after everything that has been appended is in the index, unless that would take long.
    ///
    /// - Parameter done: Called on any queue.
    func find(_ lookup: SearchLookup, _ done: @escaping @Sendable (SearchFindings) -> Void)
}

/// The chat, as the index reads it to fill itself. Callable from any queue; the closures are called on the engine's.
package protocol SearchSource: AnyObject, Sendable {
    /// Passes every channel that has messages, and the last frame that the chat has.
    func readSearchRooms(_ done: @escaping @Sendable ([SearchRoom], SearchProgress) -> Void)
    /// Passes messages of a channel from an offset on.
    func readSearchFill(of room: SearchRoom, from offset: UInt64, _ done: @escaping @Sendable (SearchFill) -> Void)
}
