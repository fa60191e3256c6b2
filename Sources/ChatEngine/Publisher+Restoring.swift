import ChatDomain
import ChatModel
import Dispatch

extension Publisher {
    /// What a frame that was kept means for those who listen.
    struct RestoredFrame: Sendable {
        let number: UInt64
        /// Whether clients can recover its events.
        let isRecoverable: Bool
        var effects: [Effect] = []
    }

    /// Fills the rings with what was announced before a restart, and tells webhooks what they have not had; nobody else is
    /// told of it again. Before the first `publish`.
    ///
    /// - Parameters:
    ///   - targets: The webhooks at the frame `base`, after which what was kept begins.
    ///   - last: The number of the last frame that was kept.
    ///   - firstRecoverable: The first frame whose events are kept for listeners inside the process too.
    func beginRestoring(
        _ targets: [WebhookTarget], base: UInt64, last: UInt64, firstRecoverable: UInt64
    ) -> Restoring {
        tap?.begin(behind: max(base, firstRecoverable - 1))
        return Restoring(publisher: self, told: webhooks?.port.begin(targets, base: base, last: last) ?? .max)
    }

    /// Works on its own queue while the state is still being drawn up, a few batches behind.
    struct Restoring {
        private static let batches = 4

        private let publisher: Publisher
        /// The frame up to which no webhook has to be told anything any more.
        let told: UInt64
        private let free = DispatchSemaphore(value: batches)

        fileprivate init(publisher: Publisher, told: UInt64) {
            self.publisher = publisher
            self.told = told
        }

        func add(_ frames: [RestoredFrame]) {
            free.wait()
            publisher.queue.async { [publisher, free] in
                publisher.restore(frames)
                free.signal()
            }
        }

        /// - Parameter targets: The webhooks that the log begins with.
        func finish(webhooks targets: [WebhookTarget], last: UInt64) {
            publisher.queue.sync {
                guard let port = publisher.webhooks?.port else { return }
                port.configure(targets, at: last)
                publisher.toldFrames.passed(last)
                port.passed(last)
                port.start()
            }
        }
    }

    private func restore(_ frames: [RestoredFrame]) {
        for frame in frames {
            position = (frame.number, 0)
            for effect in frame.effects { restore(effect, of: frame) }
            webhooks?.port.passed(frame.number)
        }
    }

    private func restore(_ effect: Effect, of frame: RestoredFrame) {
        switch effect {
        case .announce(let announcement):
            let data = encoder.encode(announcement.event)
            webhooks?.tell(announcement, data, of: frame.number, after: frame.number - 1)
            guard frame.isRecoverable else { return }
            tell(announcement, data)
            keep(announcement, data)
        case .ended(let room): if frame.isRecoverable { rings.forget(room) }
        case .redacted(let room, let message, let offset, let time): redact(message, in: room, from: offset, at: time)
        // The start deletes every file that the chat does not know.
        case .filesRemoved: break
        case .push(let notice): webhooks?.push(notice, of: frame.number, after: frame.number - 1)
        case .webhooksChanged(let targets): webhooks?.port.configure(targets, at: frame.number)
        case .gained, .lost, .transient, .ousted, .tokensRevoked, .deliver, .narrowed, .discarded, .pushing, .pushed:
            break
        }
    }
}
