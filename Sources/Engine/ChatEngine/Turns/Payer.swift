import ChatDomain
import ChatModel

/// The unit of fair scheduling in the engine, and of the budgets that commands are charged to.
package enum Payer: Hashable, Sendable {
    /// The app's backend, and the engine's own work: no budget, and a larger share of the turns.
    case server
    case user(UserID)
    /// All guests of one address together, so that creating more guests gains no turns.
    case guests(of: String)

    /// Its share of the engine's time relative to one user, when both want all of it.
    var weight: Int { self == .server ? 4 : 1 }
}

/// Commands that run in order of arrival: one user's, or the server's.
enum Lane: Hashable, Sendable {
    case server
    case user(UserID)

    init(_ caller: Caller) { self = caller.user.map { .user($0) } ?? .server }
}
