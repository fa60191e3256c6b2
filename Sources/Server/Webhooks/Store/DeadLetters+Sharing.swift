import ChatEngine
import ChatModel
import Journal

/// The letters of a node in a cluster, which follow those of the node that sends.
extension DeadLetters {
    /// Begins or ends to be a copy of another node's letters.
    ///
    /// - Parameter term: The cluster's term. A new letter's serial contains it, so that no two nodes assign the same one.
    func setCopying(_ isCopy: Bool, in term: UInt64) {
        state.withLock { state in
            state.isCopy = isCopy
            if !isCopy, let term = UInt32(exactly: term) {
                state.lastSerial = max(state.lastSerial, UInt64(term) << 32)
            }
        }
    }

    /// A digest of each webhook's letters, without their bodies.
    var digests: [String: UInt64] {
        state.withLock { state in
            for (webhook, letters) in state.letters where state.digests[webhook] == nil {
                state.digests[webhook] = Self.digest(letters)
            }
            return state.digests
        }
    }

    /// FNV-1a, which finds differences; nobody gains from a collision.
    private static func digest(_ letters: [DeadLetterFile]) -> UInt64 {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for letter in letters {
            let (id, rest) = (letter.letter.eventID, letter.letter)
            let text = "\(letter.serial) \(letter.frame) \(id) \(rest.at) \(rest.attempts) \(rest.status ?? 0)\n"
            for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        }
        return digest
    }

    func shared(of webhook: String, after serial: UInt64, limit: Int) -> [SharedLetter] {
        state.withLock { state in
            (state.letters[webhook] ?? []).drop { $0.serial <= serial }.prefix(limit).map(SharedLetter.init)
        }
    }

    func body(of serial: UInt64, webhook: String, _ done: @escaping @Sendable ([UInt8]?) -> Void) {
        queue.async {
            let letter = self.state.withLock { $0.letters[webhook]?.first { $0.serial == serial } }
            done(letter.flatMap { self.body(of: $0) })
        }
    }

    /// Writes another node's letter on `queue`, after the files that were removed earlier.
    ///
    /// - Parameter done: Gets false if this node's letters are no copy.
    func keep(
        _ shared: SharedLetter, _ body: [UInt8], of webhook: String,
        _ done: @escaping @Sendable (Result<Bool, DiskError>) -> Void
    ) {
        let new = DeadLetterFile(
            serial: shared.serial, webhook: webhook, frame: shared.frame, letter: shared.letter)
        queue.async {
            guard self.state.withLock(\.isCopy) else { return done(.success(false)) }
            do throws(DiskError) { try self.write(new, body) } catch { return done(.failure(error)) }
            let (isKept, removed) = self.state.withLock { state -> (Bool, [DeadLetterFile]) in
                if state.letters[webhook]?.contains(where: { $0.serial == new.serial }) == true { return (true, []) }
                guard state.isCopy else { return (false, []) }
                let removed = state.remove(from: webhook) { $0.letter.eventID == new.letter.eventID }
                let index = state.letters[webhook]?.firstIndex { $0.serial > new.serial }
                state.letters[webhook, default: []].insert(
                    new, at: index ?? state.letters[webhook]?.endIndex ?? 0)
                state.lastSerial = max(state.lastSerial, new.serial)
                return (true, removed)
            }
            self.deleteFiles(of: isKept ? removed : [new])
            done(.success(isKept))
        }
    }

    func removeCopies(of webhook: String, except kept: Set<UInt64>, through frame: UInt64) {
        let removed = state.withLock { state in
            guard state.isCopy else { return [DeadLetterFile]() }
            return state.remove(from: webhook) { !kept.contains($0.serial) && $0.frame <= frame }
        }
        if !removed.isEmpty { deleteFiles(of: removed) }
    }
}

extension SharedLetter {
    fileprivate init(_ file: DeadLetterFile) {
        self.init(serial: file.serial, frame: file.frame, letter: file.letter)
    }
}
