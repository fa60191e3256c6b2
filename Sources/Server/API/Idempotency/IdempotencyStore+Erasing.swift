import ChatDomain
import ChatModel
import Cryptography
import WireProtocol

/// Removes what the store has of deleted users (`PR1`).
///
/// A deleted user's own requests are forgotten, key and all: a repeat is refused, because its token is. Those of server
/// keys stay known without their answers, because a repeat of `user.upsert` would bring the user back.
extension IdempotencyStore {
    /// A deletion, as the store sees it. Requests are numbered; the id may have a new user, whose requests are later.
    package struct Erasure: Sendable {
        package let user: UserID
        /// The newest request when the deletion began: everything later of the user's own was refused, or is of a new
        /// user of the id. 0 if nobody knows.
        package let began: UInt64
        /// The newest request when the chat had forgotten the user; `nil` until then.
        package let ended: UInt64?

        package init(of user: UserID, began: UInt64, ended: UInt64? = nil) {
            self.user = user
            self.began = began
            self.ended = ended
        }

        fileprivate var through: UInt64 { ended ?? began }
    }

    /// An answer to search.
    package struct Candidate: Sendable {
        fileprivate let name: Name
        fileprivate let serial: UInt64
        fileprivate let number: UInt64
        fileprivate let subject: UInt64?
        fileprivate let answer: StoredResponse
    }

    /// Forgets what the users themselves requested. Afterwards, search the candidates.
    package mutating func forgetOwners(_ erasures: [Erasure]) {
        for erasure in erasures {
            evict(of: .user(erasure.user)) { entry in
                switch entry.kept?.answer {
                // A repeat is refused again.
                case .rejected?: entry.number <= erasure.through
                case .result?, nil: entry.number <= erasure.began
                }
            }
            // Few are in progress, and only their answers can still contain something of a user who is gone.
            if let ended = erasure.ended { unkeptThrough = max(unkeptThrough, ended) }
        }
    }

    /// Whether a request was in progress when a user was gone, and was refused, perhaps for that reason. A repeat is refused
    /// again, and nothing needs to be kept.
    func isLate(_ entry: Entry, _ answer: StoredResponse) -> Bool {
        if case .rejected = answer { entry.number <= unkeptThrough } else { false }
    }

    /// Returns answers to search, which is better done without holding the store.
    ///
    /// - Parameters:
    ///   - place: The end of the previous list; moves on.
    ///   - limit: The number of answers that are looked at.
    /// - Returns: `nil` after the last one.
    package func candidates(after place: inout UInt64, limit: Int) -> [Candidate]? {
        // Serials ascend in the list.
        var (low, high) = (order.startIndex, order.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if order[middle].serial <= place { low = middle + 1 } else { high = middle }
        }
        guard low < order.endIndex else { return nil }
        let next = order[low..<min(low + limit, order.endIndex)]
        place = next.last?.serial ?? place
        return next.compactMap { name, serial in
            guard let entry = entries[name], let kept = entry.kept, kept.serial == serial, let answer = kept.answer
            else { return nil }
            return Candidate(
                name: name, serial: serial, number: entry.number, subject: entry.subject, answer: answer)
        }
    }

    /// Drops the content of answers.
    package mutating func drop(_ candidates: [Candidate]) {
        for candidate in candidates { dropAnswer(candidate.name, candidate.serial) }
    }
}

/// What names deleted users in answers, for any number of users at once.
package struct ErasedNames: Sendable {
    private let erasures: [IdempotencyStore.Erasure]
    /// The newest request that may name a user, by the user's id as JSON.
    private var quoted: [[UInt8]: UInt64] = [:]
    private var subjects: [UInt64: UInt64] = [:]
    private var lengths: Set<Int> = []

    package init(_ erasures: [IdempotencyStore.Erasure]) {
        self.erasures = erasures
        for erasure in erasures {
            let name = WireEncoder().encode(erasure.user.rawValue)
            quoted[name] = max(quoted[name] ?? 0, erasure.through)
            subjects[erasure.user.erasureKey] = max(subjects[erasure.user.erasureKey] ?? 0, erasure.through)
            lengths.insert(name.count)
        }
    }

    package func concern(_ candidate: IdempotencyStore.Candidate) -> Bool {
        if let subject = candidate.subject, candidate.number <= subjects[subject] ?? 0 { return true }
        switch candidate.answer {
        case .result(let json): return contain(in: json, candidate.number)
        case .rejected(let rejection):
            guard let detail = rejection.detail else { return false }
            return erasures.contains { candidate.number <= $0.through && detail.contains($0.user.rawValue) }
        }
    }

    /// Looks at each string of a JSON text once.
    private func contain(in json: [UInt8], _ number: UInt64) -> Bool {
        json.withUnsafeBufferPointer { json in
            var index = 0
            while index < json.count {
                guard json[index] == UInt8(ascii: "\"") else {
                    index += 1
                    continue
                }
                let start = index
                index += 1
                while index < json.count, json[index] != UInt8(ascii: "\"") {
                    index += json[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                index += 1
                guard index <= json.count, lengths.contains(index - start) else { continue }
                if number <= quoted[Array(json[start..<index])] ?? 0 { return true }
            }
            return false
        }
    }
}

extension IdempotencyStore.Name {
    /// The name under which the store has a request.
    var sealed: Self {
        var hash = SHA256()
        hash.update(Array(key.utf8))
        let digest = hash.finalize()
        let digits: StaticString = "0123456789abcdef"
        let key = String(unsafeUninitializedCapacity: 2 * SHA256.byteCount) { text in
            for (index, byte) in digest.enumerated() {
                text[2 * index] = digits.utf8Start[Int(byte >> 4)]
                text[2 * index + 1] = digits.utf8Start[Int(byte & 15)]
            }
            return 2 * SHA256.byteCount
        }
        return Self(owner: owner, key: key)
    }
}
