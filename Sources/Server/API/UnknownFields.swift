import Synchronization

/// How to treat an unknown field of a command.
package enum UnknownFields: String, CaseIterable, Sendable {
    /// Refuse the command with 107, naming the field and the closest known one.
    case refuse
    /// Ignore the field, so that clients newer than the server keep working.
    case ignore
}

/// The setting in effect, which can change while the server runs.
package final class UnknownFieldPolicy: Sendable {
    private let isRefusing = Atomic<Bool>(true)

    package init() {}

    package func adopt(_ policy: UnknownFields) { isRefusing.store(policy == .refuse, ordering: .relaxed) }

    package var refuses: Bool { isRefusing.load(ordering: .relaxed) }
}
