import ChatModel

/// Where the events are that webhooks' receivers never took. Called on any queue; answers on any.
package protocol DeadLetterPort: Sendable {
    /// - Parameter serial: Of the last one of the page before; 0 for the first page.
    func deadLetters(
        of webhook: String, after serial: UInt64, limit: Int,
        _ done: @escaping @Sendable (_ letters: [DeadLetter], _ next: UInt64?) -> Void)

    /// Has them delivered again, behind what waits.
    ///
    /// - Parameters:
    ///   - ids: All where it is `nil`.
    ///   - done: Told how many; those for which there is no room stay.
    func replay(_ ids: [String]?, of webhook: String, _ done: @escaping @Sendable (Int) -> Void)
}
