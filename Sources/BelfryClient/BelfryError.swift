/// What went wrong with a call: the server's refusal with its code, or a code below 100 of the client's own.
public struct BelfryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The server's table starts at 100; see `ErrorCode` there.
    public let code: Int
    public let message: String
    /// Whether the same call may succeed a little later.
    public let isTemporary: Bool

    public init(code: Int, message: String, isTemporary: Bool) {
        self.code = code
        self.message = message
        self.isTemporary = isTemporary
    }

    /// Whether the server may have carried the call out all the same. A message is sent again with the same client id
    /// then, which gives the same message and no second one.
    public var isOutcomeUnknown: Bool { code == Self.outcomeUnknownCode }

    public var description: String { "\(code) \(message)" }
}

/// Thrown by a token provider: the user has signed out, so the client ends instead of trying again.
public struct SignedOut: Error, Sendable {
    public init() {}
}

extension BelfryError {
    static let outcomeUnknownCode = 1041

    /// Never seen by the app, which gets a `CancellationError`.
    static let cancelled = BelfryError(code: 0, message: "cancelled", isTemporary: false)

    /// No connection came within the time for the call. Nothing was sent.
    static let notConnected = BelfryError(code: 1, message: "not connected", isTemporary: true)
    /// `disconnect` was called, or the server ended the connection for good. Nothing was sent.
    static let disconnected = BelfryError(code: 2, message: "disconnected", isTemporary: false)
    /// More calls are under way than a client keeps. Nothing was sent.
    static let tooManyCalls = BelfryError(code: 3, message: "too many calls under way", isTemporary: true)
    /// The command is longer than a message of the server's may be. Nothing was sent.
    static func tooLong(limit: Int) -> BelfryError {
        BelfryError(code: 4, message: "the command is over the limit of \(limit) bytes", isTemporary: false)
    }
    /// The reply has another shape than the request promises.
    static func badReply(_ detail: String) -> BelfryError {
        BelfryError(code: 5, message: "unreadable reply: \(detail)", isTemporary: false)
    }
    static func badURL(_ detail: String) -> BelfryError {
        BelfryError(code: 6, message: "unusable url: \(detail)", isTemporary: false)
    }
    static func noLoop(_ detail: String) -> BelfryError {
        BelfryError(code: 7, message: "no event loop: \(detail)", isTemporary: false)
    }
    static func noTrust(_ detail: String) -> BelfryError {
        BelfryError(code: 8, message: "no trusted certificates: \(detail)", isTemporary: false)
    }
    /// The command has left and its answer has not come.
    static func outcomeUnknown(_ detail: String) -> BelfryError {
        BelfryError(code: outcomeUnknownCode, message: "outcome unknown: \(detail)", isTemporary: true)
    }
}
