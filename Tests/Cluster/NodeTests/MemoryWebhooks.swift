import ChatEngine
import ChatModel
import Synchronization

/// A node's webhooks in memory, which record what the exchange asks of them.
final class MemoryWebhooks: SharedWebhooks {
    struct Content {
        var positions: [String: UInt64] = [:]
        var letters: [String: [SharedLetter]] = [:]
        var bodies: [UInt64: [UInt8]] = [:]
        /// What was dropped, as "webhook frame".
        var skips: [String] = []
        var replays: [[String]?] = []
        /// Whether the disk takes letters.
        var canKeep = true
        /// The answer to replays; nil on a node that does not send.
        var replayed: Int?
    }

    let content = Mutex(Content())

    init(_ change: (inout Content) -> Void = { _ in }) { content.withLock { change(&$0) } }

    /// Adds a letter with a body of some size.
    func add(_ serial: UInt64, frame: UInt64 = 1, of webhook: String = "a", bytes: Int = 3) {
        let letter = DeadLetter(
            eventID: "e\(serial)", type: "message.new", at: Int64(serial), attempts: 2,
            status: serial.isMultiple(of: 2) ? nil : 500)
        content.withLock { content in
            content.letters[webhook, default: []].append(SharedLetter(serial: serial, frame: frame, letter: letter))
            content.bodies[serial] = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &+ Int(serial)) }
        }
    }

    var progress: WebhookProgress {
        content.withLock { content in
            let letters = content.letters.filter { !$0.value.isEmpty }
            return WebhookProgress(
                positions: content.positions, letters: letters.mapValues { UInt64(bitPattern: Int64($0.hashValue)) })
        }
    }

    func skip(_ webhook: String, to frame: UInt64) { content.withLock { $0.skips.append("\(webhook) \(frame)") } }

    func letters(of webhook: String, after serial: UInt64, limit: Int) -> [SharedLetter] {
        content.withLock { Array(($0.letters[webhook] ?? []).filter { $0.serial > serial }.prefix(limit)) }
    }

    func body(of serial: UInt64, webhook: String, _ done: @escaping @Sendable ([UInt8]?) -> Void) {
        done(content.withLock { $0.bodies[serial] })
    }

    func keep(
        _ letter: SharedLetter, _ body: [UInt8], of webhook: String, _ done: @escaping @Sendable (Bool) -> Void
    ) {
        let isKept = content.withLock { content in
            guard content.canKeep else { return false }
            content.letters[webhook, default: []].append(letter)
            content.letters[webhook]?.sort { $0.serial < $1.serial }
            content.bodies[letter.serial] = body
            return true
        }
        done(isKept)
    }

    func removeLetters(of webhook: String, except kept: Set<UInt64>, through frame: UInt64) {
        content.withLock { content in
            content.letters[webhook]?.removeAll { !kept.contains($0.serial) && $0.frame <= frame }
        }
    }

    func replayHere(_ ids: [String]?, of webhook: String, _ done: @escaping @Sendable (Int?) -> Void) {
        done(
            content.withLock { content in
                content.replays.append(ids)
                return content.replayed
            })
    }

    var skips: [String] { content.withLock(\.skips) }
    func serials(of webhook: String = "a") -> [UInt64] { letters(of: webhook, after: 0, limit: .max).map(\.serial) }
}
