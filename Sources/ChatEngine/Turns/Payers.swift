import ChatDomain
import ChatModel
import Gateway

/// Whom a command is charged to.
enum Payers: Sendable {
    /// Nobody: the app's backend is trusted, also where it acts as a user.
    case server
    case user(UserID)
    /// - Parameter address: Where the guest comes from, as far as that is known.
    case guest(UserID, address: String?)

    /// - Parameter admitsNewcomer: False for a user whom a server key names.
    init(_ caller: Caller, _ admitsNewcomer: Bool, _ address: ReturnAddress) {
        switch caller {
        case .server: self = .server
        case .user where !admitsNewcomer: self = .server
        case .user(let user): self = user.isGuest ? .guest(user, address: address.guestOrigin?.own) : .user(user)
        }
    }

    var isServer: Bool { if case .server = self { true } else { false } }

    /// With whom it takes turns.
    var payer: Payer {
        switch self {
        case .server: .server
        case .user(let user): .user(user)
        case .guest(let user, let address): address.map { .guests(of: $0) } ?? .user(user)
        }
    }
}
