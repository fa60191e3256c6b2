import ChatDomain
import ChatModel

/// Who takes turns with others at the engine, and whose budget a command is charged to.
package enum Payer: Hashable, Sendable {
    /// The app's backend, and the engine's own work: no budget, and a larger part of the turns.
    case server
    case user(UserID)
    /// All guests of one address: making more of them gives nobody more turns.
    case guests(of: String)

    /// How much of the engine's time it gets beside one user, when both want all of it.
    var weight: Int { self == .server ? 4 : 1 }
}

/// Commands that are carried out in the order in which they came: a user's own, or the server's.
enum Lane: Hashable, Sendable {
    case server
    case user(UserID)

    init(_ caller: Caller) { self = caller.user.map { .user($0) } ?? .server }
}
