import ChatModel

/// The store of events that webhook receivers never accepted. Call from any queue; answers arrive on any queue.
package protocol DeadLetterPort: Sendable {
    /// - Parameter serial: The serial of the last letter on the previous page; 0 for the first page.
    func deadLetters(
        of webhook: String, after serial: UInt64, limit: Int,
        _ done: @escaping @Sendable (_ letters: [DeadLetter], _ next: UInt64?) -> Void)

    /// Delivers dead letters again, after the deliveries that are already waiting.
    ///
    /// - Parameters:
    ///   - ids: The letters to deliver; `nil` for all of them.
    ///   - done: Gets the number of letters queued again; letters that do not fit the queue stay here.
    func replay(_ ids: [String]?, of webhook: String, _ done: @escaping @Sendable (Int) -> Void)
}
