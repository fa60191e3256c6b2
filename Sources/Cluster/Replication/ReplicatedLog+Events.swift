extension ReplicatedLog {
    /// What the log tells its owner, on `queue`.
    package struct Events: Sendable {
        /// One of this node's messages is stored.
        let stored: @Sendable (LogEntry) -> Void
        /// Another node's message took the place of this node's.
        let lost: @Sendable () -> Void
        /// These notes' frames have waited longer than `AppendQueue.answerAge`. Each note comes once; its frame may still
        /// be stored.
        let late: @Sendable ([Note]) -> Void

        package init(
            stored: @escaping @Sendable (LogEntry) -> Void, lost: @escaping @Sendable () -> Void,
            late: @escaping @Sendable ([Note]) -> Void = { _ in }
        ) {
            self.stored = stored
            self.lost = lost
            self.late = late
        }
    }
}
