import Synchronization

/// What happens to a field that a command does not have.
package enum UnknownFields: String, CaseIterable, Sendable {
    /// The command is refused with 107, which names the field and the nearest known one.
    case refuse
    /// The field is passed over, so that clients newer than the server get by.
    case ignore
}

/// The setting in force, which changes while the server runs.
package final class UnknownFieldPolicy: Sendable {
    private let isRefusing = Atomic<Bool>(true)

    package init() {}

    package func adopt(_ policy: UnknownFields) { isRefusing.store(policy == .refuse, ordering: .relaxed) }

    package var refuses: Bool { isRefusing.load(ordering: .relaxed) }
}
