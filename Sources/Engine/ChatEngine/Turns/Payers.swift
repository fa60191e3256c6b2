import ChatDomain
import ChatModel
import Gateway

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

/// The payers that a command is charged to.
enum Payers: Sendable {
    /// Charged to nobody: the app's backend is trusted, even when it acts as a user.
    case server
    case user(UserID)
    /// - Parameter address: The guest's network address, if known.
    case guest(UserID, address: String?)

    /// - Parameter admitsNewcomer: False for a user named by a server key.
    init(_ caller: Caller, _ admitsNewcomer: Bool, _ address: ReturnAddress) {
        switch caller {
        case .server: self = .server
        case .user where !admitsNewcomer: self = .server
        case .user(let user): self = user.isGuest ? .guest(user, address: address.guestOrigin?.block) : .user(user)
        }
    }

    /// - Parameter sender: The caller who caused an event.
    init(_ sender: Sender) {
        self = sender.user.isGuest ? .guest(sender.user, address: sender.address) : .user(sender.user)
    }

    /// Who pays for the deliveries of what it causes; nil for the app's backend.
    var sender: Sender? {
        switch self {
        case .server: nil
        case .user(let user): Sender(user: user)
        case .guest(let user, let address): Sender(user: user, address: address)
        }
    }

    var isServer: Bool { if case .server = self { true } else { false } }

    /// The payer whose turns it uses.
    var payer: Payer {
        switch self {
        case .server: .server
        case .user(let user): .user(user)
        case .guest(let user, let address): address.map { .guests(of: $0) } ?? .user(user)
        }
    }
}
