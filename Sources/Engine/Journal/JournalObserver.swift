/// Callbacks that observe the journal, called on its queue unless stated otherwise. All are optional.
package struct JournalObserver: Sendable {
    private let onBatch: @Sendable (_ frames: Int, _ nanoseconds: UInt64) -> Void
    private let onSpace: @Sendable (_ isShort: Bool) -> Void
    private let onSegment: @Sendable (_ bytes: Int) -> Void
    private let onDamage: @Sendable (JournalError) -> Void

    /// - Parameters:
    ///   - onSegment: Called when a segment was closed and the next one begun.
    ///   - onDamage: Called when a snapshot is unusable and an older one is used instead; runs on the thread that opens
    ///     the journal.
    package init(
        onBatch: @escaping @Sendable (_ frames: Int, _ nanoseconds: UInt64) -> Void = { _, _ in },
        onSpace: @escaping @Sendable (_ isShort: Bool) -> Void = { _ in },
        onSegment: @escaping @Sendable (_ bytes: Int) -> Void = { _ in },
        onDamage: @escaping @Sendable (JournalError) -> Void = { _ in }
    ) {
        self.onBatch = onBatch
        self.onSpace = onSpace
        self.onSegment = onSegment
        self.onDamage = onDamage
    }

    func batch(frames: Int, nanoseconds: UInt64) { onBatch(frames, nanoseconds) }
    func space(isShort: Bool) { onSpace(isShort) }
    func segment(bytes: Int) { onSegment(bytes) }
    func damaged(_ error: JournalError) { onDamage(error) }
}
