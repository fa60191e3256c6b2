import ChatModel
import Dispatch
import Journal
import Synchronization

/// The events that were given up, of all webhooks: on the disk before anything goes on without them.
///
/// The list stands under a lock; files are written by whoever gives up, and removed on `queue`.
final class DeadLetters: Sendable {
    private struct Shelf {
        /// Oldest first, of each webhook.
        var letters: [String: [DeadLetterFile]] = [:]
        /// Those that are on their way again.
        var replaying: Set<UInt64> = []
        var lastSerial: UInt64 = 0

        mutating func take(_ webhook: String, where condition: (DeadLetterFile) -> Bool) -> [DeadLetterFile] {
            let taken = letters[webhook]?.filter(condition) ?? []
            letters[webhook]?.removeAll(where: condition)
            if letters[webhook]?.isEmpty == true { letters[webhook] = nil }
            for letter in taken { replaying.remove(letter.serial) }
            return taken
        }
    }

    private let disk: any Disk
    let queue = DispatchQueue(label: "belfry.webhooks.dead")
    private let shelf: Mutex<Shelf>
    private let limit: Int
    private let metrics: WebhookMetrics

    /// - Parameter limit: Letters of each webhook.
    init(_ found: [DeadLetterFile], on disk: any Disk, limit: Int, metrics: WebhookMetrics) {
        self.disk = disk
        self.limit = limit
        self.metrics = metrics
        var shelf = Shelf()
        for letter in found.sorted(by: { $0.serial < $1.serial }) {
            shelf.letters[letter.webhook, default: []].append(letter)
            shelf.lastSerial = letter.serial
        }
        metrics.deadLetters.record(found.count)
        self.shelf = Mutex(shelf)
    }

    /// Takes the place of a letter of the same event; the oldest gives way where there are too many.
    func add(_ letter: DeadLetter, _ body: [UInt8], of webhook: String) throws(DiskError) {
        let serial = shelf.withLock { shelf in
            shelf.lastSerial += 1
            return shelf.lastSerial
        }
        let new = DeadLetterFile(serial: serial, webhook: webhook, letter: letter)
        let file = try disk.create(new.unfinishedName)
        try file.write(new.encoded(body), at: 0)
        try file.sync()
        try disk.rename(new.unfinishedName, to: new.name)
        try disk.syncFolder()
        let (removed, gaveWay) = shelf.withLock { shelf in
            let same = shelf.take(webhook) { $0.letter.eventID == letter.eventID }
            shelf.letters[webhook, default: []].append(new)
            let surplus = max(0, (shelf.letters[webhook]?.count ?? 0) - limit)
            let oldest = Set(shelf.letters[webhook]?.prefix(surplus).map(\.serial) ?? [])
            return (same + shelf.take(webhook) { oldest.contains($0.serial) }, surplus)
        }
        metrics.givenUp.increment()
        if gaveWay > 0 { metrics.dropped.increment(by: gaveWay) }
        remove(removed)
    }

    /// The event was taken after all.
    func settle(_ eventID: String, of webhook: String) {
        let taken = shelf.withLock { shelf in
            shelf.letters[webhook] == nil ? [] : shelf.take(webhook) { $0.letter.eventID == eventID }
        }
        if !taken.isEmpty { remove(taken) }
    }

    /// Those of webhooks that are gone go too.
    func keepOnly(_ webhooks: Set<String>) {
        let taken = shelf.withLock { shelf in
            shelf.letters.keys.filter { !webhooks.contains($0) }.flatMap { shelf.take($0) { _ in true } }
        }
        if !taken.isEmpty { remove(taken) }
    }

    func count(of webhook: String) -> Int { shelf.withLock { $0.letters[webhook]?.count ?? 0 } }

    /// - Parameter serial: Of the last one of the page before.
    /// - Returns: Oldest first; and the serial of the last where there are more.
    func list(of webhook: String, after serial: UInt64, limit: Int) -> (letters: [DeadLetter], next: UInt64?) {
        shelf.withLock { shelf in
            let rest = (shelf.letters[webhook] ?? []).drop { $0.serial <= serial }
            let page = rest.prefix(limit)
            return (page.map(\.letter), rest.count > page.count ? page.last?.serial : nil)
        }
    }

    /// Notes those that are not on their way again yet as being so.
    ///
    /// - Parameter ids: All where it is `nil`.
    func beginReplaying(_ ids: Set<String>?, of webhook: String) -> [DeadLetterFile] {
        shelf.withLock { shelf in
            let chosen = (shelf.letters[webhook] ?? []).filter { letter in
                !shelf.replaying.contains(letter.serial) && ids?.contains(letter.letter.eventID) ?? true
            }
            shelf.replaying.formUnion(chosen.map(\.serial))
            return chosen
        }
    }

    func endReplaying(_ serials: some Sequence<UInt64>) { shelf.withLock { $0.replaying.subtract(serials) } }

    func body(of letter: DeadLetterFile) -> [UInt8]? { try? letter.body(on: disk) }

    /// A file that cannot be removed is a letter again after a restart: better one too many.
    private func remove(_ letters: [DeadLetterFile]) {
        metrics.deadLetters.record(shelf.withLock { $0.letters.values.reduce(0) { $0 + $1.count } })
        queue.async { for letter in letters { try? self.disk.remove(letter.name) } }
    }
}
