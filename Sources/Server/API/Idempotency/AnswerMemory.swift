import ChatModel
import Crypto
import DequeModule

/// Remembers the answers to requests with an idempotency key, so that each request is executed only once.
///
/// A pure state machine: requests, answers and times go in, verdicts come out. Times are milliseconds of one clock; if
/// it is set back, answers are kept longer.
///
/// Keys and answers have separate limits. When answers exceed their limit, the oldest are dropped, and a repeated
/// request is rejected instead of executed again. When keys exceed theirs, the owner with the most keys loses its
/// oldest, so an owner within an equal share never loses a key to another owner.
package struct AnswerMemory: Sendable {
    package struct Limits: Sendable, Equatable {
        /// The limit of remembered requests, for server keys and again for users. It also limits the requests in
        /// progress of each group.
        package var answers = 50_000
        /// Remembered requests per user.
        package var answersOfUser = 100
        /// The limit of answer bytes, for server keys and again for users.
        package var bytes = 16_777_216
        /// Answer bytes per user.
        package var bytesOfUser = 262_144
        /// The largest answer kept, for a user and for a server key, in bytes.
        package var answerBytesOfUser = 65_536
        package var answerBytesOfKey = 1_048_576
        /// How long a request is remembered.
        package var milliseconds: Int64 = 86_400_000
        package init() {}

        package var ofUser: Share {
            Share(answers: answersOfUser, bytes: min(bytesOfUser, bytes), answerBytes: min(answerBytesOfUser, bytes))
        }

        /// The app's backends are few and trusted, so each may use the whole budget for server keys.
        package var ofKey: Share {
            Share(answers: .max, bytes: bytes, answerBytes: min(answerBytesOfKey, bytes))
        }
    }

    package struct Share: Sendable, Equatable {
        /// At least 1.
        package var answers: Int
        package var bytes: Int
        /// The limit of a single answer.
        package var answerBytes: Int
    }

    /// The owner of idempotency keys. Unlike in the chat, each server key is a separate owner.
    package enum Owner: Hashable, Sendable {
        case user(UserID)
        /// A server key, by its id.
        case key(String)
    }

    /// Identifies a request: the owner and its idempotency key.
    package struct Name: Hashable, Sendable {
        package let owner: Owner
        package let key: String

        package init(owner: Owner, key: String) {
            self.owner = owner
            self.key = key
        }
    }

    package enum Verdict: Equatable, Sendable {
        /// Not seen before: execute it, then call `finish`.
        case fresh
        case again(KeptAnswer)
        /// Already executed, but its answer was dropped.
        case unkept
        /// The same request is in progress.
        case underWay
        case anotherRequest
        /// The limit of requests in progress is reached.
        case full
    }

    private struct Kept {
        /// `nil` when the answer was too large or dropped to make room.
        var answer: KeptAnswer?
        let serial: UInt64
        let at: Int64

        /// Rejections are short and count as 0.
        var bytes: Int { if case .result(let json) = answer { json.count } else { 0 } }
    }

    private struct Entry {
        let request: RequestFingerprint
        /// `nil` while in progress.
        var kept: Kept?
    }

    fileprivate struct Holding: Sendable {
        /// Keys of executed requests, oldest first.
        var keys: Deque<String> = []
        /// Executed requests with a non-empty answer, oldest first; entries whose answer was dropped are skipped.
        var answers: Deque<(key: String, serial: UInt64)> = []
        var bytes = 0
        var underWay = 0

        var isEmpty: Bool { keys.isEmpty && underWay == 0 }
    }

    private let limits: Limits
    private let share: Share
    private var entries: [Name: Entry] = [:]
    private var holdings: [Owner: Holding] = [:]
    private var holders = Holders()
    private var underWay = 0
    private var bytes = 0
    private var serial: UInt64 = 0
    /// All executed requests, oldest first; evicted entries are skipped.
    private var order: Deque<(name: Name, serial: UInt64)> = []
    /// The same for requests with a non-empty answer.
    private var answers: Deque<(name: Name, serial: UInt64)> = []

    package init(_ limits: Limits, share: Share) {
        self.limits = limits
        self.share = share
    }

    /// The number of remembered requests that have been executed.
    package var count: Int { entries.count - underWay }

    /// The number of bytes in their answers.
    package var byteCount: Int { bytes }

    package mutating func begin(_ name: Name, _ request: RequestFingerprint, at now: Int64) -> Verdict {
        removeExpired(at: now)
        guard let entry = entries[name] else {
            guard underWay < limits.answers, holdings[name.owner]?.underWay ?? 0 < share.answers else { return .full }
            underWay += 1
            holdings[name.owner, default: Holding()].underWay += 1
            entries[name] = Entry(request: request)
            return .fresh
        }
        guard entry.request == request else { return .anotherRequest }
        guard let kept = entry.kept else { return .underWay }
        return kept.answer.map { .again($0) } ?? .unkept
    }

    /// - Parameter answer: `nil` removes the request, and so does a temporary rejection.
    package mutating func finish(_ name: Name, with answer: KeptAnswer?, at now: Int64) {
        guard var entry = entries[name], entry.kept == nil else { return }
        underWay -= 1
        holdings[name.owner]?.underWay -= 1
        guard let answer, answer.isLasting else {
            entries[name] = nil
            if holdings[name.owner]?.isEmpty ?? false { holdings[name.owner] = nil }
            return
        }
        serial += 1
        var kept = Kept(answer: answer, serial: serial, at: now)
        if kept.bytes > share.answerBytes { kept.answer = nil }
        entry.kept = kept
        entries[name] = entry
        order.append((name, serial))
        bytes += kept.bytes
        var holding = holdings.removeValue(forKey: name.owner) ?? Holding()
        holding.keys.append(name.key)
        if kept.bytes > 0 {
            holding.bytes += kept.bytes
            holding.answers.append((name.key, serial))
            answers.append((name, serial))
        }
        holders.record(name.owner, count: holding.keys.count)
        holdings[name.owner] = holding
        makeRoom(for: name.owner)
    }

    // MARK: Eviction

    private mutating func makeRoom(for owner: Owner) {
        // Hold no reference to an owner's lists while they change, or each change copies them.
        while (holdings[owner]?.keys.count ?? 0) > share.answers { evictOldest(of: owner) }
        while count > limits.answers, let largest = holders.findLargest(holdings) { evictOldest(of: largest) }
        while (holdings[owner]?.bytes ?? 0) > share.bytes, let oldest = holdings[owner]?.answers.popFirst() {
            dropAnswer(Name(owner: owner, key: oldest.key), oldest.serial)
        }
        while bytes > limits.bytes, let oldest = answers.popFirst() { dropAnswer(oldest.name, oldest.serial) }
        if order.count > 2 * count + 64 { order = order.filter { isKept($0.name, $0.serial) } }
        if answers.count > 2 * count + 64 { answers = answers.filter { isKept($0.name, $0.serial) } }
        if (holdings[owner]?.answers.count ?? 0) > 2 * (holdings[owner]?.keys.count ?? 0) + 16 {
            let valid = holdings[owner]?.answers.filter { isKept(Name(owner: owner, key: $0.key), $0.serial) }
            holdings[owner]?.answers = valid ?? []
        }
        holders.compact(holdings)
    }

    private mutating func removeExpired(at now: Int64) {
        while let oldest = order.first {
            if isKept(oldest.name, oldest.serial) {
                guard let at = entries[oldest.name]?.kept?.at, now - at >= limits.milliseconds else { return }
                evictOldest(of: oldest.name.owner)
            }
            order.removeFirst()
        }
    }

    private func isKept(_ name: Name, _ serial: UInt64) -> Bool { entries[name]?.kept?.serial == serial }

    private mutating func dropAnswer(_ name: Name, _ serial: UInt64) {
        guard isKept(name, serial), let kept = entries[name]?.kept else { return }
        bytes -= kept.bytes
        holdings[name.owner]?.bytes -= kept.bytes
        entries[name]?.kept?.answer = nil
    }

    private mutating func evictOldest(of owner: Owner) {
        guard let key = holdings[owner]?.keys.popFirst() else { return }
        let left = holdings[owner]?.keys.count ?? 0
        if let kept = entries.removeValue(forKey: Name(owner: owner, key: key))?.kept {
            bytes -= kept.bytes
            holdings[owner]?.bytes -= kept.bytes
        }
        holders.record(owner, count: left)
        if holdings[owner]?.isEmpty ?? false { holdings[owner] = nil }
    }
}

/// Identifies a request by its command and the bytes of its body.
package struct RequestFingerprint: Hashable, Sendable {
    private let digest: [UInt8]

    package init(method: String, body: [UInt8]) {
        var hash = SHA256()
        hash.update(data: Array(method.utf8))
        // No command name contains a zero.
        hash.update(data: [0])
        hash.update(data: body)
        digest = Array(hash.finalize())
    }
}

/// Owners ordered by number of keys, to find the one with the most.
///
/// An owner remains listed under its earlier counts until the next lookup, which is cheaper than removing it on each
/// change.
private struct Holders: Sendable {
    private var levels: [Int: Deque<AnswerMemory.Owner>] = [:]
    private var top = 0
    private var listings = 0

    mutating func record(_ owner: AnswerMemory.Owner, count: Int) {
        guard count > 0 else { return }
        levels[count, default: []].append(owner)
        listings += 1
        top = max(top, count)
    }

    /// Among equals, returns the owner that reached the count first.
    mutating func findLargest(_ holdings: [AnswerMemory.Owner: AnswerMemory.Holding]) -> AnswerMemory.Owner? {
        while top > 0 {
            while let owner = levels[top]?.first {
                if holdings[owner]?.keys.count == top { return owner }
                _ = levels[top]?.popFirst()
                listings -= 1
            }
            levels[top] = nil
            top -= 1
        }
        return nil
    }

    mutating func compact(_ holdings: [AnswerMemory.Owner: AnswerMemory.Holding]) {
        guard listings > 4 * holdings.count + 1_024 else { return }
        for level in Array(levels.keys) {
            var seen: Set<AnswerMemory.Owner> = []
            let valid = (levels[level] ?? []).filter {
                holdings[$0]?.keys.count == level && seen.insert($0).inserted
            }
            levels[level] = valid.isEmpty ? nil : valid
        }
        listings = levels.values.reduce(0) { $0 + $1.count }
        top = levels.keys.max() ?? 0
    }
}
