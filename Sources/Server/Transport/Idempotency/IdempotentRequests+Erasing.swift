import API
import ChatModel

extension IdempotentRequests {
    /// A point in the order of requests.
    package struct Mark: Sendable {
        fileprivate let ofKeys: UInt64
        fileprivate let ofUsers: UInt64
    }

    /// A deletion of a user, as the stores see it.
    package struct Erasure: Sendable {
        let user: UserID
        /// When it began; `nil` if that was before a restart, which forgets all answers.
        let began: Mark?
        /// When the chat had forgotten the user; `nil` until then.
        let ended: Mark?

        package init(of user: UserID, began: Mark?, ended: Mark? = nil) {
            self.user = user
            self.began = began
            self.ended = ended
        }

        fileprivate func erasure(_ number: (Mark) -> UInt64) -> IdempotencyStore.Erasure {
            IdempotencyStore.Erasure(of: user, began: began.map(number) ?? 0, ended: ended.map(number))
        }
    }

    /// Answers that are looked at without releasing the lock, for which event loops wait.
    private static let candidates = 256

    /// Marks a step of a deletion when it is durable: what was requested before it may name the user.
    package var mark: Mark {
        state.withLock { Mark(ofKeys: $0.keyStore.newest, ofUsers: $0.userStore.newest) }
    }

    /// Removes what deleted users requested, and the answers to others that contain something of them (`PR1`). Full stores
    /// have 32 MiB, which take about half a second to search, for any number of users at once and without the lock. Call it
    /// on a queue that nothing waits for.
    package func erase(_ erasures: [Erasure]) {
        erase(erasures.map { $0.erasure(\.ofKeys) }, \.keyStore)
        erase(erasures.map { $0.erasure(\.ofUsers) }, \.userStore)
        record(state.withLock(\.sizes))
    }

    private func erase(
        _ erasures: [IdempotencyStore.Erasure], _ store: WritableKeyPath<State, IdempotencyStore> & Sendable
    ) {
        state.withLock { $0[keyPath: store].forgetOwners(erasures) }
        let names = ErasedNames(erasures)
        var place: UInt64 = 0
        while true {
            let found = state.withLock { state in
                state[keyPath: store].candidates(after: &place, limit: Self.candidates)
            }
            guard let found else { return }
            let concerned = found.filter(names.concern)
            if !concerned.isEmpty { state.withLock { $0[keyPath: store].drop(concerned) } }
        }
    }
}
