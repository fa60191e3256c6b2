import ChatModel
import Cryptography
import DequeModule

/// Remembers the responses to requests with an idempotency key, so that each request is executed only once.
///
/// A pure state machine: it takes requests, responses and times, and returns verdicts. All times are in milliseconds
/// from one clock; if it is set back, responses are kept longer.
///
/// Keys and responses have separate limits. When the responses exceed their limit, the oldest are dropped, and a
/// repeated request is rejected instead of executed again. When the keys exceed theirs, the oldest key of the owner
/// with the most keys is evicted, so an owner within an equal share never loses a key to another owner.
package struct IdempotencyStore: Sendable {
    package struct Limits: Sendable, Equatable {
        /// The maximum number of remembered requests, applied separately to server keys and to users. It also limits
        /// the requests in progress of each group.
        package var answers = 50_000
        /// The maximum number of remembered requests per user.
        package var answersPerUser = 100
        /// The maximum total size of responses in bytes, applied separately to server keys and to users.
        package var bytes = 16_777_216
        /// The maximum total size of responses per user, in bytes.
        package var bytesPerUser = 262_144
        /// The maximum size of a stored response in bytes: for a user, and for a server key.
        package var maxAnswerBytesForUsers = 65_536
        package var maxAnswerBytesForKeys = 1_048_576
        /// How long a request is remembered.
        package var milliseconds: Int64 = 86_400_000
        package init() {}

        package var ofUser: Share {
            Share(
                answers: answersPerUser, bytes: min(bytesPerUser, bytes),
                answerBytes: min(maxAnswerBytesForUsers, bytes))
        }

        /// The app's backends are few and trusted, so each may use the whole budget for server keys.
        package var ofKey: Share {
            Share(answers: .max, bytes: bytes, answerBytes: min(maxAnswerBytesForKeys, bytes))
        }
    }

    package struct Share: Sendable, Equatable {
        /// At least 1.
        package var answers: Int
        package var bytes: Int
        /// The maximum size of a single response.
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
        /// As the client sent it, except inside the store, which has digests: a key such as "create-zoe" names a user.
        package let key: String

        package init(owner: Owner, key: String) {
            self.owner = owner
            self.key = key
        }
    }

    package enum Verdict: Equatable, Sendable {
        /// Not seen before: execute it, then call `finish`.
        case fresh
        /// Already executed: send this response again.
        case replay(StoredResponse)
        /// Already executed, but its response was dropped.
        case responseDropped
        /// The same request is in progress.
        case inProgress
        /// The key belongs to a different request.
        case keyReused
        /// The limit of requests in progress is reached.
        case full
    }

    struct Kept {
        /// `nil` if the response was too large, was dropped to make room, or contained something of a deleted user.
        var answer: StoredResponse?
        let serial: UInt64
        let at: Int64

        /// Rejections are short and count as 0.
        var bytes: Int { if case .result(let json) = answer { json.count } else { 0 } }
    }

    struct Entry {
        let request: RequestFingerprint
        /// The `UserID.erasureKey` of the user for whom a server key acts.
        let subject: UInt64?
        /// Requests are numbered in the order of `begin`.
        let number: UInt64
        /// `nil` while in progress.
        var kept: Kept?
    }

    struct Usage: Sendable {
        /// Keys of executed requests, oldest first.
        var keys: Deque<String> = []
        /// Executed requests with a non-empty response, oldest first; entries whose response was dropped are skipped.
        var answers: Deque<(key: String, serial: UInt64)> = []
        var bytes = 0
        var inProgress = 0

        var isEmpty: Bool { keys.isEmpty && inProgress == 0 }
    }

    private let limits: Limits
    private let share: Share
    var entries: [Name: Entry] = [:]
    var usages: [Owner: Usage] = [:]
    private var holders = Holders()
    private var inProgress = 0
    private var bytes = 0
    private var serial: UInt64 = 0
    /// The number of the newest request.
    package private(set) var newest: UInt64 = 0
    /// Requests up to this number that are still in progress may have answers with something of a deleted user.
    var unkeptThrough: UInt64 = 0
    /// All executed requests, oldest first; evicted entries are skipped.
    private(set) var order: Deque<(name: Name, serial: UInt64)> = []
    /// Executed requests with a non-empty response, oldest first; evicted entries are skipped.
    private var answers: Deque<(name: Name, serial: UInt64)> = []

    package init(_ limits: Limits, share: Share) {
        self.limits = limits
        self.share = share
    }

    /// The number of remembered requests that have been executed.
    package var count: Int { entries.count - inProgress }

    /// The total size of the stored responses, in bytes.
    package var byteCount: Int { bytes }

    /// - Parameter subject: The `UserID.erasureKey` of the user for whom a server key acts.
    package mutating func begin(
        _ name: Name, _ request: RequestFingerprint, subject: UInt64? = nil, at now: Int64
    ) -> Verdict {
        let name = name.sealed
        removeExpired(at: now)
        guard let entry = entries[name] else {
            guard inProgress < limits.answers, usages[name.owner]?.inProgress ?? 0 < share.answers else { return .full }
            inProgress += 1
            usages[name.owner, default: Usage()].inProgress += 1
            newest += 1
            entries[name] = Entry(request: request, subject: subject, number: newest)
            return .fresh
        }
        guard entry.request == request else { return .keyReused }
        guard let kept = entry.kept else { return .inProgress }
        return kept.answer.map { .replay($0) } ?? .responseDropped
    }

    /// - Parameters:
    ///   - answer: `nil` removes the request, and so does a temporary rejection.
    ///   - isTooLong: Whether the answer is remembered without its content.
    package mutating func finish(_ name: Name, with answer: StoredResponse?, isTooLong: Bool = false, at now: Int64) {
        let name = name.sealed
        guard var entry = entries[name], entry.kept == nil else { return }
        inProgress -= 1
        usages[name.owner]?.inProgress -= 1
        guard let answer, answer.isLasting, !isLate(entry, answer) else {
            entries[name] = nil
            if usages[name.owner]?.isEmpty ?? false { usages[name.owner] = nil }
            return
        }
        serial += 1
        var kept = Kept(answer: answer, serial: serial, at: now)
        if isTooLong || kept.bytes > share.answerBytes || entry.number <= unkeptThrough { kept.answer = nil }
        entry.kept = kept
        entries[name] = entry
        order.append((name, serial))
        bytes += kept.bytes
        var usage = usages.removeValue(forKey: name.owner) ?? Usage()
        usage.keys.append(name.key)
        if kept.bytes > 0 {
            usage.bytes += kept.bytes
            usage.answers.append((name.key, serial))
            answers.append((name, serial))
        }
        holders.record(name.owner, count: usage.keys.count)
        usages[name.owner] = usage
        makeRoom(for: name.owner)
    }

    // MARK: Eviction

    private mutating func makeRoom(for owner: Owner) {
        // Do not hold a reference to an owner's lists while they change, or each change copies them.
        while (usages[owner]?.keys.count ?? 0) > share.answers { evictOldest(of: owner) }
        while count > limits.answers, let largest = holders.findLargest(usages) { evictOldest(of: largest) }
        while (usages[owner]?.bytes ?? 0) > share.bytes, let oldest = usages[owner]?.answers.popFirst() {
            dropAnswer(Name(owner: owner, key: oldest.key), oldest.serial)
        }
        while bytes > limits.bytes, let oldest = answers.popFirst() { dropAnswer(oldest.name, oldest.serial) }
        if order.count > 2 * count + 64 { order = order.filter { isKept($0.name, $0.serial) } }
        if answers.count > 2 * count + 64 { answers = answers.filter { isKept($0.name, $0.serial) } }
        if (usages[owner]?.answers.count ?? 0) > 2 * (usages[owner]?.keys.count ?? 0) + 16 {
            let valid = usages[owner]?.answers.filter { isKept(Name(owner: owner, key: $0.key), $0.serial) }
            usages[owner]?.answers = valid ?? []
        }
        holders.compact(usages)
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

    func isKept(_ name: Name, _ serial: UInt64) -> Bool { entries[name]?.kept?.serial == serial }

    mutating func dropAnswer(_ name: Name, _ serial: UInt64) {
        guard isKept(name, serial), let kept = entries[name]?.kept else { return }
        bytes -= kept.bytes
        usages[name.owner]?.bytes -= kept.bytes
        entries[name]?.kept?.answer = nil
    }

    /// Forgets executed requests of an owner, so that repeats execute them again.
    mutating func evict(of owner: Owner, where isEvicted: (Entry) -> Bool) {
        guard var usage = usages.removeValue(forKey: owner) else { return }
        usage.keys.removeAll { key in
            let name = Name(owner: owner, key: key)
            guard let entry = entries[name], isEvicted(entry) else { return false }
            bytes -= entry.kept?.bytes ?? 0
            usage.bytes -= entry.kept?.bytes ?? 0
            entries[name] = nil
            return true
        }
        usages[owner] = usage.isEmpty ? nil : usage
        holders.record(owner, count: usage.keys.count)
        removeEvicted()
    }

    /// Removes evicted entries from the lists that would otherwise skip them later: they contain the owner.
    private mutating func removeEvicted() {
        order = order.filter { isKept($0.name, $0.serial) }
        answers = answers.filter { isKept($0.name, $0.serial) }
        holders.rebuild(usages)
    }

    private mutating func evictOldest(of owner: Owner) {
        guard let key = usages[owner]?.keys.popFirst() else { return }
        let left = usages[owner]?.keys.count ?? 0
        if let kept = entries.removeValue(forKey: Name(owner: owner, key: key))?.kept {
            bytes -= kept.bytes
            usages[owner]?.bytes -= kept.bytes
        }
        holders.record(owner, count: left)
        if usages[owner]?.isEmpty ?? false { usages[owner] = nil }
    }
}

/// Identifies a request by its command and the bytes of its body.
package struct RequestFingerprint: Hashable, Sendable, CustomStringConvertible {
    private let digest: [UInt8]

    package init(method: String, body: [UInt8]) {
        var hash = SHA256()
        hash.update(Array(method.utf8))
        // No command name contains a NUL byte.
        hash.update([0])
        hash.update(body)
        digest = hash.finalize()
    }

    /// - Parameter text: A `description`.
    package init?(_ text: String) {
        guard text.utf8.count == 2 * SHA256.byteCount else { return nil }
        var digest: [UInt8] = []
        var rest = text[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            digest.append(byte)
            rest = rest.dropFirst(2)
        }
        self.digest = digest
    }

    /// The digest in hexadecimal.
    package var description: String {
        digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// Owners ordered by number of keys, to find the one with the most.
///
/// An owner remains listed under its earlier counts until the next lookup, which is cheaper than removing it on each
/// change.
private struct Holders: Sendable {
    private var levels: [Int: Deque<IdempotencyStore.Owner>] = [:]
    private var top = 0
    private var listings = 0

    mutating func record(_ owner: IdempotencyStore.Owner, count: Int) {
        guard count > 0 else { return }
        levels[count, default: []].append(owner)
        listings += 1
        top = max(top, count)
    }

    /// On a tie, returns the owner that reached the count first.
    mutating func findLargest(_ usages: [IdempotencyStore.Owner: IdempotencyStore.Usage]) -> IdempotencyStore.Owner? {
        while top > 0 {
            while let owner = levels[top]?.first {
                if usages[owner]?.keys.count == top { return owner }
                _ = levels[top]?.popFirst()
                listings -= 1
            }
            levels[top] = nil
            top -= 1
        }
        return nil
    }

    mutating func compact(_ usages: [IdempotencyStore.Owner: IdempotencyStore.Usage]) {
        if listings > 4 * usages.count + 1_024 { rebuild(usages) }
    }

    mutating func rebuild(_ usages: [IdempotencyStore.Owner: IdempotencyStore.Usage]) {
        for level in Array(levels.keys) {
            var seen: Set<IdempotencyStore.Owner> = []
            let valid = (levels[level] ?? []).filter {
                usages[$0]?.keys.count == level && seen.insert($0).inserted
            }
            levels[level] = valid.isEmpty ? nil : valid
        }
        listings = levels.values.reduce(0) { $0 + $1.count }
        top = levels.keys.max() ?? 0
    }
}
