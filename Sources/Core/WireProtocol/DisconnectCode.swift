import ChatModel

/// The close codes of the Centrifuge client protocol. A client may reconnect after 3000–3499 and 4000–4499, but not
/// after 3500–3999 and 4500–4999.
public enum DisconnectCode: UInt16, Sendable, CaseIterable {
    case connectionClosed = 3000
    case shutdown = 3001
    case serverError = 3004
    case expired = 3005
    case slow = 3008
    case noPong = 3012
    case tooManyRequests = 3013
    case invalidToken = 3500
    case badRequest = 3501
    case stale = 3502
    case forceNoReconnect = 3503
    case connectionLimit = 3504
    case tooManyErrors = 3509

    public struct Row: Sendable {
        public let reason: String
        public let reaction: ClientReaction
    }

    public var row: Row {
        switch self {
        case .connectionClosed: Row(reason: "connection closed", reaction: .reconnect)
        case .shutdown: Row(reason: "shutdown", reaction: .reconnect)
        case .serverError: Row(reason: "internal server error", reaction: .reconnect)
        case .expired: Row(reason: "connection expired", reaction: .refreshToken)
        case .slow: Row(reason: "slow", reaction: .reconnect)
        case .noPong: Row(reason: "no pong", reaction: .reconnect)
        case .tooManyRequests: Row(reason: "too many requests", reaction: .reconnect)
        case .invalidToken: Row(reason: "invalid token", reaction: .giveUp)
        case .badRequest: Row(reason: "bad request", reaction: .fixRequest)
        case .stale: Row(reason: "stale", reaction: .giveUp)
        case .forceNoReconnect: Row(reason: "force no reconnect", reaction: .giveUp)
        case .connectionLimit: Row(reason: "connection limit", reaction: .giveUp)
        case .tooManyErrors: Row(reason: "too many errors", reaction: .fixRequest)
        }
    }

    /// Returns whether a client may reconnect after a close with this code. Unknown codes follow the ranges.
    public static func allowsReconnect(_ code: UInt16) -> Bool {
        !(3500...3999).contains(code) && !(4500...4999).contains(code)
    }
}

/// The reason a subscription ended. Below 2500, it ended permanently; from 2500 on, the client subscribes again.
public enum UnsubscribeCode: UInt16, Sendable, CaseIterable {
    case client = 0
    case server = 2000

    public var reason: String {
        switch self {
        case .client: "unsubscribe called"
        case .server: "server unsubscribe"
        }
    }
}
