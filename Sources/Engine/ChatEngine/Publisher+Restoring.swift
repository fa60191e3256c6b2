import ChatDomain
import ChatModel
import Dispatch
import Gateway

extension Publisher {
    /// A replayed frame and its effects on clients, listeners and webhooks.
    struct RestoredFrame: Sendable {
        let number: UInt64
        /// Whether clients can recover its events.
        let isRecoverable: Bool
        /// Whether some webhook may still have to receive it.
        var isForWebhooks = false
        var effects: [Effect] = []
        /// Earlier frames whose pushes were dropped: too many wait.
        var droppedPushes: [UInt64] = []
    }

    /// Refills the rings with the events announced before a restart, and passes webhooks the events they have not
    /// received. Nobody else receives them again. Call it before the first `publish`.
    ///
    /// - Parameters:
    ///   - targets: The webhooks as of frame `base`; replay starts after that frame.
    ///   - last: The number of the last frame in the log.
    ///   - firstRecoverable: The first frame whose events are also kept for listeners inside the process.
    func beginRestoring(
        _ targets: [WebhookTarget], base: UInt64, last: UInt64, firstRecoverable: UInt64
    ) -> Restoring {
        tap?.begin(after: max(base, firstRecoverable - 1))
        return Restoring(publisher: self, delivered: webhooks?.port.begin(targets, base: base, last: last) ?? .max)
    }

    /// Works on the publisher's queue while the engine still replays the log, a few batches behind it.
    struct Restoring {
        private static let batches = 4

        private let publisher: Publisher
        /// Webhooks have received everything up to this frame.
        let delivered: UInt64
        private let free = DispatchSemaphore(value: batches)

        fileprivate init(publisher: Publisher, delivered: UInt64) {
            self.publisher = publisher
            self.delivered = delivered
        }

        func add(_ frames: [RestoredFrame]) {
            free.wait()
            publisher.queue.async { [publisher, free] in
                publisher.restore(frames)
                free.signal()
            }
        }

        /// - Parameter targets: The webhooks at the end of the log.
        func finish(webhooks targets: [WebhookTarget], last: UInt64) {
            publisher.queue.enter {
                publisher.encodeAll()
                for user in publisher.forgottenAtStart { publisher.forget(user) }
                publisher.forgottenAtStart = []
                guard let port = publisher.webhooks?.port else { return }
                port.configure(targets, at: last)
                publisher.progress.advance(to: last)
                // Not the last frame while its pushes, or those of earlier ones, are outstanding.
                port.advance(to: publisher.progress.lastPublished)
                port.start()
            }
        }
    }

    private func restore(_ frames: [RestoredFrame]) {
        queue.check()
        for frame in frames {
            position = JournalPosition(frame: frame.number, index: 0)
            for effect in frame.effects { restore(effect, of: frame) }
            for dropped in frame.droppedPushes { progress.endPushes(of: dropped) }
            progress.advance(to: frame.number)
            webhooks?.port.advance(to: progress.lastPublished)
        }
    }

    private func restore(_ effect: Effect, of frame: RestoredFrame) {
        switch effect {
        case .announce(let announcement): restore(announcement, of: frame)
        case .ended(let room): if frame.isRecoverable { rings.remove(room) }
        case .redacted(let room, let message, let time): rings.redact(message, in: room, at: time)
        case .trimmed(let room, let offset, let firstKept, let time):
            rings.trim(room, upTo: offset, firstKept: firstKept, at: time)
        // On start-up every file that the chat does not know is deleted.
        case .filesRemoved: break
        // The process may have ended before the ledger had it.
        case .erased(let user, let erased): recordErasure(.began(user, erased))
        case .forgotten(let user, _): forgottenAtStart.append(user)
        case .notify(let event, let id):
            guard frame.isForWebhooks else { break }
            webhooks?.notify(event, id: id, of: frame.number, after: progress.lastPublished(before: frame.number))
        case .pushing: if frame.isForWebhooks { progress.beginPushes(of: frame.number) }
        case .webhooksChanged(let targets): webhooks?.port.configure(targets, at: frame.number)
        case .gained, .lost, .guestsLost, .transient, .disconnected, .tokensRevoked, .deliver, .narrowed, .discarded,
            .push, .pushed:
            break
        }
    }

    private func restore(_ announcement: Announcement, of frame: RestoredFrame) {
        if frame.isForWebhooks {
            webhooks?.deliver(announcement, of: frame.number, after: progress.lastPublished(before: frame.number)) {
                encode(announcement.event)
            }
        }
        guard frame.isRecoverable else { return }
        if let tap {
            if tap.keepsEvents {
                offerToTap(announcement, encode(announcement.event))
            } else {
                tap.skip(position)
                position.index += 1
            }
        }
        for position in announcement.positions {
            appendToRings(LateEvent(announcement), at: position.offset, in: position.room)
        }
    }

    // MARK: Events encoded late

    /// The largest number of small events waiting to be encoded. A large event waits until the end and is encoded only
    /// if a ring still holds it, which bounds the total.
    private static let maximumUnencoded = 4_000

    private func appendToRings(_ event: LateEvent, at offset: UInt64, in room: Room) {
        let message = event.announcement.event.message
        rings.append(
            EncodedEvent(offset: offset, unencoded: event, message: message?.id, quoted: message?.parent?.id), to: room)
        encodeLater(event, at: offset, in: room)
    }

    private func encodeLater(_ event: LateEvent, at offset: UInt64, in room: Room) {
        guard !event.isLarge else { return }
        unencoded.append((room, offset))
        guard unencoded.count > Self.maximumUnencoded, let oldest = unencoded.popFirst() else { return }
        rings.encode(oldest.offset, in: oldest.room, encode)
    }

    private func encodeAll() {
        queue.check()
        unencoded = []
        rings.encodeAll(encode)
    }

    private func encode(_ event: EncodedEvent) -> EncodedEvent {
        guard let announcement = (event.unencoded as? LateEvent)?.announcement else { return event }
        encodedAtStart += 1
        return encodedEvent(
            announcement, at: event.offset, encode(announcement.event),
            announcement.redacted.map { encode($0) })
    }
}

/// An event announced before a restart, encoded only once it is clear that somebody could recover it.
private final class LateEvent: UnencodedEvent {
    private static let large = 8_192
    /// The size that a small event counts for: less than its real size, so that a ring never holds fewer events than
    /// before the restart.
    private static let smallest = 64

    let announcement: Announcement
    let isLarge: Bool
    let byteCount: Int

    init(_ announcement: Announcement) {
        self.announcement = announcement
        let size = announcement.wireSize
        isLarge = size > Self.large
        byteCount = isLarge ? size : Self.smallest
    }
}
