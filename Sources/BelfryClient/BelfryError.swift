import ChatModel

/// The reason a call failed: the server's error code, or a client-side code below 100.
public struct BelfryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code. The server's codes start at 100; see `ErrorCode`.
    public let code: Int
    /// A description of the problem, for logs.
    public let message: String
    /// Whether retrying the same call may succeed.
    public let isTemporary: Bool

    /// Creates an error, for an app's tests.
    public init(code: Int, message: String, isTemporary: Bool) {
        self.code = code
        self.message = message
        self.isTemporary = isTemporary
    }

    /// Whether the server may have executed the call despite the error. To resend a message safely, use the same client
    /// id: the server then returns the existing message instead of creating a second one.
    public var isOutcomeUnknown: Bool { code == Self.outcomeUnknownCode }

    /// The code and the message.
    public var description: String { "\(code) \(message)" }
}

/// Thrown by a token provider when the user has signed out. The client then disconnects instead of retrying.
public struct SignedOut: Error, Sendable {
    /// Creates the error.
    public init() {}
}

extension BelfryError {
    static let outcomeUnknownCode = 1041

    /// Internal; the app receives a `CancellationError`.
    static let cancelled = BelfryError(code: 0, message: "cancelled", isTemporary: false)

    /// The client did not connect within the command timeout. Nothing was sent.
    static let notConnected = BelfryError(code: 1, message: "not connected", isTemporary: true)
    /// `disconnect` was called, or the server closed the connection permanently. Nothing was sent.
    static let disconnected = BelfryError(code: 2, message: "disconnected", isTemporary: false)
    /// Too many calls are in progress. Nothing was sent.
    static let tooManyCalls = BelfryError(code: 3, message: "too many calls in progress", isTemporary: true)
    /// The command exceeds the maximum message size. Nothing was sent.
    static func tooLong(limit: Int) -> BelfryError {
        BelfryError(code: 4, message: "the command is over the limit of \(limit) bytes", isTemporary: false)
    }
    /// The reply does not match the type that the request expects.
    static func badReply(_ detail: String) -> BelfryError {
        BelfryError(code: 5, message: "unreadable reply: \(detail)", isTemporary: false)
    }
    static func badURL(_ detail: String) -> BelfryError {
        BelfryError(code: 6, message: "unusable URL: \(detail)", isTemporary: false)
    }
    static func noLoop(_ detail: String) -> BelfryError {
        BelfryError(code: 7, message: "no event loop: \(detail)", isTemporary: false)
    }
    static func noTrust(_ detail: String) -> BelfryError {
        BelfryError(code: 8, message: "no trusted certificates: \(detail)", isTemporary: false)
    }
    /// The command was sent, but no answer arrived.
    static func outcomeUnknown(_ detail: String) -> BelfryError {
        BelfryError(code: outcomeUnknownCode, message: "outcome unknown: \(detail)", isTemporary: true)
    }
}
