import ChatModel
import WireProtocol

extension WebhookDispatcher {
    /// Drops the events up to a frame that still wait, because they have waited long enough (`PR1`).
    package func drop(through frame: UInt64) { for (_, sender) in sortedSenders { sender.drop(through: frame) } }

    /// Removes the dead letters that name deleted users (`PR1`), however old they are.
    ///
    /// - Parameter done: Called on any queue.
    package func erase(_ users: [UserID], _ done: @escaping @Sendable () -> Void) {
        guard let letters, !users.isEmpty else { return done() }
        letters.removeAll(naming: users, done)
    }
}

extension DeadLetters {
    /// Removes the letters whose bodies contain one of these ids as a JSON string.
    fileprivate func removeAll(naming users: [UserID], _ done: @escaping @Sendable () -> Void) {
        let names = users.map { WireEncoder().encode($0.rawValue) }
        queue.async {
            let all = self.state.withLock { $0.letters }
            for (webhook, letters) in all.sorted(by: { $0.key < $1.key }) {
                for letter in letters where self.body(of: letter).map({ Self.contains($0, names) }) ?? false {
                    let removed = self.state.withLock { $0.remove(from: webhook) { $0.serial == letter.serial } }
                    self.deleteFiles(of: removed)
                }
            }
            // After the files have been removed.
            self.queue.async(execute: done)
        }
    }

    private static func contains(_ body: [UInt8], _ names: [[UInt8]]) -> Bool {
        names.contains { body.contains(bytes: $0) }
    }
}
