import ChatModel
import Dispatch
import Journal
import Synchronization

/// The dead letters of all webhooks. Each one is on disk before its webhook's deliveries continue without it.
///
/// A lock guards the list. The delivering queue writes the files of new letters; `queue` writes those of another node's
/// letters, and removes files.
final class DeadLetters: Sendable {
    struct State {
        /// Per webhook, oldest first.
        var letters: [String: [DeadLetterFile]] = [:]
        /// Letters being delivered again.
        var replaying: Set<UInt64> = []
        var lastSerial: UInt64 = 0
        /// Whether another node of the cluster sends. Then the letters are a copy of that node's.
        var isCopy = false
        /// Of the webhooks whose letters have not changed since it was computed.
        var digests: [String: UInt64] = [:]

        mutating func remove(from webhook: String, where condition: (DeadLetterFile) -> Bool) -> [DeadLetterFile] {
            let removed = letters[webhook]?.filter(condition) ?? []
            digests[webhook] = nil
            letters[webhook]?.removeAll(where: condition)
            if letters[webhook]?.isEmpty == true { letters[webhook] = nil }
            for letter in removed { replaying.remove(letter.serial) }
            return removed
        }
    }

    let disk: any Disk
    let queue = DispatchQueue(label: "belfry.webhooks.dead")
    let state: Mutex<State>
    private let limit: Int
    private let metrics: WebhookMetrics

    /// - Parameter limit: The maximum number of letters per webhook.
    init(_ found: [DeadLetterFile], on disk: any Disk, limit: Int, metrics: WebhookMetrics) {
        self.disk = disk
        self.limit = limit
        self.metrics = metrics
        var state = State()
        for letter in found.sorted(by: { $0.serial < $1.serial }) {
            state.letters[letter.webhook, default: []].append(letter)
            state.lastSerial = letter.serial
        }
        metrics.deadLetters.record(found.count)
        self.state = Mutex(state)
    }

    /// Adds a letter, replacing one for the same event. Evicts the oldest letter when there are too many.
    ///
    /// - Parameter frame: The frame of the event.
    /// - Returns: False if another node sends by now: that node decides what becomes of the event.
    func add(_ letter: DeadLetter, _ body: [UInt8], of webhook: String, frame: UInt64) throws(DiskError) -> Bool {
        let serial = state.withLock { state in
            state.lastSerial += 1
            return state.lastSerial
        }
        let new = DeadLetterFile(serial: serial, webhook: webhook, frame: frame, letter: letter)
        try write(new, body)
        let change = state.withLock { state -> (removed: [DeadLetterFile], evicted: Int)? in
            guard !state.isCopy else { return nil }
            let same = state.remove(from: webhook) { $0.letter.eventID == letter.eventID }
            state.letters[webhook, default: []].append(new)
            let surplus = max(0, (state.letters[webhook]?.count ?? 0) - limit)
            let oldest = Set(state.letters[webhook]?.prefix(surplus).map(\.serial) ?? [])
            return (same + state.remove(from: webhook) { oldest.contains($0.serial) }, surplus)
        }
        guard let change else {
            deleteFiles(of: [new])
            return false
        }
        metrics.givenUp.increment()
        if change.evicted > 0 { metrics.dropped.increment(by: change.evicted) }
        deleteFiles(of: change.removed)
        return true
    }

    /// Writes a letter's file and waits until it is on disk.
    func write(_ new: DeadLetterFile, _ body: [UInt8]) throws(DiskError) {
        let file = try disk.create(new.unfinishedName)
        try file.write(new.encoded(body), at: 0)
        try file.sync()
        try disk.rename(new.unfinishedName, to: new.name)
        try disk.syncFolder()
    }

    /// Removes the letter of an event that was later delivered.
    func removeDelivered(_ eventID: String, of webhook: String) {
        let removed = state.withLock { state in
            state.letters[webhook] == nil ? [] : state.remove(from: webhook) { $0.letter.eventID == eventID }
        }
        if !removed.isEmpty { deleteFiles(of: removed) }
    }

    /// Removes the letters of deleted webhooks.
    func prune(keeping webhooks: Set<String>) {
        let removed = state.withLock { state in
            state.letters.keys.filter { !webhooks.contains($0) }.flatMap { state.remove(from: $0) { _ in true } }
        }
        if !removed.isEmpty { deleteFiles(of: removed) }
    }

    func count(of webhook: String) -> Int { state.withLock { $0.letters[webhook]?.count ?? 0 } }

    /// - Parameter serial: The serial of the last letter on the previous page.
    /// - Returns: A page, oldest first, and the serial of its last letter if there are more.
    func list(of webhook: String, after serial: UInt64, limit: Int) -> (letters: [DeadLetter], next: UInt64?) {
        state.withLock { state in
            let rest = (state.letters[webhook] ?? []).drop { $0.serial <= serial }
            let page = rest.prefix(limit)
            return (page.map(\.letter), rest.count > page.count ? page.last?.serial : nil)
        }
    }

    /// Marks letters as being replayed, and returns those that were not already.
    ///
    /// - Parameter ids: Event ids; `nil` for all.
    func beginReplaying(_ ids: Set<String>?, of webhook: String) -> [DeadLetterFile] {
        state.withLock { state in
            let chosen = (state.letters[webhook] ?? []).filter { letter in
                !state.replaying.contains(letter.serial) && ids?.contains(letter.letter.eventID) ?? true
            }
            state.replaying.formUnion(chosen.map(\.serial))
            return chosen
        }
    }

    func endReplaying(_ serials: some Sequence<UInt64>) { state.withLock { $0.replaying.subtract(serials) } }

    func body(of letter: DeadLetterFile) -> [UInt8]? { try? letter.body(on: disk) }

    /// If a file cannot be removed, its letter reappears after a restart. A duplicate is better than a loss.
    func deleteFiles(of letters: [DeadLetterFile]) {
        metrics.deadLetters.record(state.withLock { $0.letters.values.reduce(0) { $0 + $1.count } })
        queue.async { for letter in letters { try? self.disk.remove(letter.name) } }
    }
}
