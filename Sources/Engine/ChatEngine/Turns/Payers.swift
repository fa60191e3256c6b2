import ChatDomain
import ChatModel
import Gateway

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
        case .user(let user): self = user.isGuest ? .guest(user, address: address.guestOrigin?.own) : .user(user)
        }
    }

    /// - Parameter sender: Whoever caused an event.
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

    /// The payer that it takes turns as.
    var payer: Payer {
        switch self {
        case .server: .server
        case .user(let user): .user(user)
        case .guest(let user, let address): address.map { .guests(of: $0) } ?? .user(user)
        }
    }
}
