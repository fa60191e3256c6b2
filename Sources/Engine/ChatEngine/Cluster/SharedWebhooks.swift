import ChatModel

/// A dead letter as the nodes of a cluster exchange it, without the event's body.
package struct SharedLetter: Hashable, Sendable {
    /// Orders the letters of all webhooks. The node that sends assigns it; all nodes keep it.
    package let serial: UInt64
    /// The frame whose event it is, or the last frame before a delivery that was repeated.
    package let frame: UInt64
    package let letter: DeadLetter

    package init(serial: UInt64, frame: UInt64, letter: DeadLetter) {
        self.serial = serial
        self.frame = frame
        self.letter = letter
    }
}

/// How far the node that sends has come with its webhooks.
package struct WebhookProgress: Hashable, Sendable {
    /// The last frame that each webhook is done with, by its id.
    package var positions: [String: UInt64]
    /// A digest of each webhook's dead letters, by its id; none for a webhook without letters. It includes the letters of
    /// every event up to the position that nobody has accepted.
    package var letters: [String: UInt64]

    package init(positions: [String: UInt64], letters: [String: UInt64]) {
        self.positions = positions
        self.letters = letters
    }
}

/// The webhooks of a node in a cluster, of which one sends and the others follow. Call from any queue; answers arrive on
/// any queue.
package protocol SharedWebhooks: Sendable {
    var progress: WebhookProgress { get }

    /// Drops the waiting events up to a frame, which another node has delivered or made dead letters of that this node
    /// has too. Does nothing on the node that sends.
    func skip(_ webhook: String, to frame: UInt64)

    /// - Parameter serial: The serial of the last letter of the page before; 0 for the first page.
    /// - Returns: Up to `limit` letters, oldest first.
    func letters(of webhook: String, after serial: UInt64, limit: Int) -> [SharedLetter]

    /// - Parameter done: Gets the event's JSON; `nil` if there is no such letter or it cannot be read.
    func body(of serial: UInt64, webhook: String, _ done: @escaping @Sendable ([UInt8]?) -> Void)

    /// Keeps a letter of the node that sends, instead of any other with its serial or event.
    ///
    /// - Parameter done: Gets whether it is on disk; false on the node that sends.
    func keep(
        _ letter: SharedLetter, _ body: [UInt8], of webhook: String, _ done: @escaping @Sendable (Bool) -> Void)

    /// Removes letters that the node that sends does not have. Does nothing on that node itself.
    ///
    /// - Parameters:
    ///   - kept: The serials of the letters that it has.
    ///   - frame: How far it has come: letters of later frames stay, because it may not have decided about them.
    func removeLetters(of webhook: String, except kept: Set<UInt64>, through frame: UInt64)

    /// As for `DeadLetterPort`, on the node that sends; `nil` on others.
    func replayHere(_ ids: [String]?, of webhook: String, _ done: @escaping @Sendable (Int?) -> Void)
}
