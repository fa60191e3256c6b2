import ChatModel
import DequeModule

/// The answers to requests that came with a name of their own, so that each is carried out once.
///
/// Takes requests, answers and time in and says what is to be done. Times are milliseconds of one clock; should it go back,
/// answers are kept longer.
package struct AnswerMemory: Sendable {
    package struct Limits: Sendable, Equatable {
        /// Answers of server keys that are kept, and as many of users; and so many requests of each that are under way.
        package var answers = 10_000
        /// Of one user, so that nobody pushes those of all others out.
        package var answersOfUser = 100
        /// What the answers of server keys take with their names, and those of users.
        package var bytes = 16_777_216
        /// How long an answer is kept.
        package var milliseconds: Int64 = 86_400_000
        package init() {}
    }

    package enum Caller: Hashable, Sendable {
        case user(UserID)
        /// A server key, by its id.
        case key(String)
    }

    /// One request among all of a caller.
    package struct Name: Hashable, Sendable {
        package let caller: Caller
        package let key: String

        package init(caller: Caller, key: String) {
            self.caller = caller
            self.key = key
        }
    }

    package enum Verdict: Equatable, Sendable {
        /// To be carried out; `finish` ends it.
        case fresh
        case again(KeptAnswer)
        /// The same request is being carried out.
        case underWay
        case anotherRequest
        /// As many are under way as may be.
        case full
    }

    private struct Kept {
        let answer: KeptAnswer
        let serial: UInt64
        let at: Int64
        let cost: Int
    }

    private struct Entry {
        let request: RequestFingerprint
        /// `nil` while it is under way.
        var kept: Kept?
    }

    /// What an entry takes beside its texts, roughly.
    private static let entryBytes = 512

    private let limits: Limits
    private let answersOfCaller: Int
    private var entries: [Name: Entry] = [:]
    private var underWay = 0
    private var bytes = 0
    private var serial: UInt64 = 0
    /// All answers, oldest first; those that were forgotten since are passed over.
    private var order: Deque<(name: Name, serial: UInt64)> = []
    /// The keys of each caller's answers, oldest first.
    private var ofCaller: [Caller: Deque<String>] = [:]

    /// - Parameter answersOfCaller: That are kept; at least 1.
    package init(_ limits: Limits, answersOfCaller: Int) {
        self.limits = limits
        self.answersOfCaller = answersOfCaller
    }

    /// Answers that are kept.
    package var count: Int { entries.count - underWay }

    package mutating func begin(_ name: Name, _ request: RequestFingerprint, at now: Int64) -> Verdict {
        forgetOutdated(at: now)
        guard let entry = entries[name] else {
            guard underWay < limits.answers else { return .full }
            underWay += 1
            entries[name] = Entry(request: request)
            return .fresh
        }
        guard entry.request == request else { return .anotherRequest }
        return entry.kept.map { Verdict.again($0.answer) } ?? .underWay
    }

    /// - Parameter answer: `nil`, and one that would not be the same next time, leaves nothing behind.
    package mutating func finish(_ name: Name, with answer: KeptAnswer?, at now: Int64) {
        guard var entry = entries[name], entry.kept == nil else { return }
        underWay -= 1
        guard let answer, answer.isLasting else {
            entries[name] = nil
            return
        }
        serial += 1
        let kept = Kept(
            answer: answer, serial: serial, at: now, cost: answer.byteCount + name.key.utf8.count + Self.entryBytes)
        entry.kept = kept
        entries[name] = entry
        bytes += kept.cost
        order.append((name, serial))
        ofCaller[name.caller, default: []].append(name.key)
        makeRoom(for: name.caller)
    }

    private mutating func makeRoom(for caller: Caller) {
        if let keys = ofCaller[caller], keys.count > answersOfCaller, let oldest = keys.first {
            forget(Name(caller: caller, key: oldest))
        }
        while count > limits.answers || bytes > limits.bytes, let oldest = order.popFirst() {
            if isKept(oldest) { forget(oldest.name) }
        }
        if order.count > 2 * count + 64 { order = order.filter(isKept) }
    }

    private mutating func forgetOutdated(at now: Int64) {
        while let oldest = order.first {
            if isKept(oldest) {
                guard let at = entries[oldest.name]?.kept?.at, now - at >= limits.milliseconds else { return }
                forget(oldest.name)
            }
            order.removeFirst()
        }
    }

    private func isKept(_ place: (name: Name, serial: UInt64)) -> Bool {
        entries[place.name]?.kept?.serial == place.serial
    }

    /// - Parameter name: Of the caller's oldest answer.
    private mutating func forget(_ name: Name) {
        guard let kept = entries.removeValue(forKey: name)?.kept else { return }
        bytes -= kept.cost
        _ = ofCaller[name.caller]?.popFirst()
        if ofCaller[name.caller]?.isEmpty ?? false { ofCaller[name.caller] = nil }
    }
}
