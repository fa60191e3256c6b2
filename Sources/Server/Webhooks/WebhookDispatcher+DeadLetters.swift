import ChatEngine
import ChatModel

extension WebhookDispatcher: DeadLetterPort {
    package func deadLetters(
        of webhook: String, after serial: UInt64, limit: Int,
        _ done: @escaping @Sendable ([DeadLetter], UInt64?) -> Void
    ) {
        guard let letters else { return done([], nil) }
        let page = letters.list(of: webhook, after: serial, limit: limit)
        done(page.letters, page.next)
    }

    package func replay(_ ids: [String]?, of webhook: String, _ done: @escaping @Sendable (Int?) -> Void) {
        if let remoteReplay { return remoteReplay.run(ids, webhook, done) }
        guard let letters, let sender = sender(of: webhook) else { return done(0) }
        letters.replay(ids.map(Set.init), of: webhook, to: sender, done)
    }
}

extension DeadLetters {
    /// Reads the letters on `queue` and enqueues them while there is room.
    func replay(
        _ ids: Set<String>?, of webhook: String, to sender: WebhookSender, _ done: @escaping @Sendable (Int?) -> Void
    ) {
        queue.async {
            var rest = self.beginReplaying(ids, of: webhook)[...]
            var count = 0
            while let letter = rest.first, let body = self.body(of: letter),
                sender.requeue(letter.letter, body, serial: letter.serial)
            {
                rest.removeFirst()
                count += 1
            }
            self.endReplaying(rest.map(\.serial))
            done(count)
        }
    }
}
