/// Who is told how the journal fares, on its queue; by default nobody.
package struct JournalObserver: Sendable {
    private let onBatch: @Sendable (_ frames: Int, _ nanoseconds: UInt64) -> Void
    private let onSpace: @Sendable (_ isShort: Bool) -> Void

    package init(
        onBatch: @escaping @Sendable (_ frames: Int, _ nanoseconds: UInt64) -> Void = { _, _ in },
        onSpace: @escaping @Sendable (_ isShort: Bool) -> Void = { _ in }
    ) {
        self.onBatch = onBatch
        self.onSpace = onSpace
    }

    func batch(frames: Int, nanoseconds: UInt64) { onBatch(frames, nanoseconds) }
    func space(isShort: Bool) { onSpace(isShort) }
}
