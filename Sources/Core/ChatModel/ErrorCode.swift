/// What a client should do about an error or a close.
public enum ClientReaction: String, Sendable, CaseIterable {
    case retry
    case refreshToken = "refresh token"
    case fixRequest = "fix the request"
    case reconnect
    case giveUp = "give up"
}

/// The table of error codes. Those below 1000 have the Centrifuge protocol's meanings; those from 1000 are the chat's.
public enum ErrorCode: Int, Sendable, CaseIterable {
    case `internal` = 100
    case unauthorized = 101
    case permissionDenied = 103
    case methodNotFound = 104
    case alreadySubscribed = 105
    case badRequest = 107
    case notAvailable = 108
    case tokenExpired = 109
    case tooManyRequests = 111
    case unrecoverablePosition = 112
    case notFound = 1000
    case notAMember = 1001
    case invitedNotMember = 1002
    case banned = 1003
    case muted = 1004
    case channelFrozen = 1005
    case notAnOperator = 1006
    case notTheAuthor = 1007
    case userDeactivated = 1008
    case serverOnly = 1009
    case alreadyAMember = 1010
    case invitationRequired = 1011
    case noInvitation = 1012
    case channelLimit = 1013
    case memberLimit = 1014
    case duplicateChannelID = 1015
    case distinctSuperConflict = 1016
    case creationDisabled = 1017
    case featureDisabled = 1018
    case keyScope = 1019
    case threadDepth = 1020
    case parentHasReplies = 1021
    case parentUnavailable = 1022
    case messageDeleted = 1023
    case wrongMessageKind = 1024
    case ephemeralChannel = 1025
    case notForGuests = 1026
    case tooLong = 1030
    case tooMany = 1031
    case invalidValue = 1032
    case clientIDConflict = 1033
    case unknownEmoji = 1034
    case fileRejected = 1035
    case idempotencyKeyReused = 1036
    case requestUnderWay = 1037
    case answerNotKept = 1038
    case storageUnavailable = 1040
    case outcomeUnknown = 1041

    /// One row: a plain message, the client's reaction, and the matching HTTP status.
    public struct Row: Sendable {
        public let message: String
        public let reaction: ClientReaction
        public let status: Int
    }

    public var row: Row {
        switch self {
        case .internal: Row(message: "internal server error", reaction: .retry, status: 500)
        case .unauthorized: Row(message: "unauthorized", reaction: .refreshToken, status: 401)
        case .permissionDenied: Row(message: "permission denied", reaction: .giveUp, status: 403)
        case .methodNotFound: Row(message: "method not found", reaction: .fixRequest, status: 404)
        case .alreadySubscribed: Row(message: "already subscribed", reaction: .fixRequest, status: 409)
        case .badRequest: Row(message: "bad request", reaction: .fixRequest, status: 400)
        case .notAvailable: Row(message: "not available", reaction: .fixRequest, status: 404)
        case .tokenExpired: Row(message: "token expired", reaction: .refreshToken, status: 401)
        case .tooManyRequests: Row(message: "too many requests", reaction: .retry, status: 429)
        case .unrecoverablePosition: Row(message: "unrecoverable position", reaction: .fixRequest, status: 409)
        case .notFound: Row(message: "not found", reaction: .giveUp, status: 404)
        case .notAMember: Row(message: "not a member", reaction: .giveUp, status: 403)
        case .invitedNotMember: Row(message: "invited, not yet a member", reaction: .giveUp, status: 403)
        case .banned: Row(message: "banned", reaction: .giveUp, status: 403)
        case .muted: Row(message: "muted", reaction: .giveUp, status: 403)
        case .channelFrozen: Row(message: "channel frozen", reaction: .giveUp, status: 403)
        case .notAnOperator: Row(message: "not an operator", reaction: .giveUp, status: 403)
        case .notTheAuthor: Row(message: "not the author", reaction: .giveUp, status: 403)
        case .userDeactivated: Row(message: "user deactivated", reaction: .giveUp, status: 403)
        case .serverOnly: Row(message: "server only", reaction: .giveUp, status: 403)
        case .alreadyAMember: Row(message: "already a member", reaction: .giveUp, status: 409)
        case .invitationRequired: Row(message: "invitation required", reaction: .giveUp, status: 403)
        case .noInvitation: Row(message: "no invitation", reaction: .giveUp, status: 404)
        case .channelLimit: Row(message: "channel limit", reaction: .giveUp, status: 403)
        case .memberLimit: Row(message: "member limit", reaction: .giveUp, status: 403)
        case .duplicateChannelID: Row(message: "duplicate channel id", reaction: .fixRequest, status: 409)
        case .distinctSuperConflict: Row(message: "distinct super conflict", reaction: .fixRequest, status: 400)
        case .creationDisabled: Row(message: "creation disabled", reaction: .giveUp, status: 403)
        case .featureDisabled: Row(message: "feature disabled", reaction: .giveUp, status: 403)
        case .keyScope: Row(message: "key scope", reaction: .giveUp, status: 403)
        case .threadDepth: Row(message: "thread depth", reaction: .fixRequest, status: 400)
        case .parentHasReplies: Row(message: "parent has replies", reaction: .giveUp, status: 409)
        case .parentUnavailable: Row(message: "parent unavailable", reaction: .giveUp, status: 404)
        case .messageDeleted: Row(message: "message deleted", reaction: .giveUp, status: 410)
        case .wrongMessageKind: Row(message: "wrong message kind", reaction: .fixRequest, status: 400)
        case .ephemeralChannel: Row(message: "ephemeral channel", reaction: .giveUp, status: 409)
        case .notForGuests: Row(message: "not for guests", reaction: .giveUp, status: 403)
        case .tooLong: Row(message: "too long", reaction: .fixRequest, status: 400)
        case .tooMany: Row(message: "too many", reaction: .fixRequest, status: 400)
        case .invalidValue: Row(message: "invalid value", reaction: .fixRequest, status: 400)
        case .clientIDConflict: Row(message: "client id conflict", reaction: .fixRequest, status: 409)
        case .unknownEmoji: Row(message: "unknown emoji", reaction: .fixRequest, status: 400)
        case .fileRejected: Row(message: "file rejected", reaction: .fixRequest, status: 400)
        case .idempotencyKeyReused: Row(message: "idempotency key reused", reaction: .fixRequest, status: 422)
        case .requestUnderWay: Row(message: "request under way", reaction: .retry, status: 409)
        case .answerNotKept: Row(message: "carried out, answer not kept", reaction: .giveUp, status: 409)
        case .storageUnavailable: Row(message: "storage unavailable", reaction: .retry, status: 503)
        case .outcomeUnknown:
            Row(message: "outcome unknown, retry with the same client id", reaction: .retry, status: 503)
        }
    }

    /// Whether sending the same request again may succeed; `temporary` in the Centrifuge protocol.
    public var isTemporary: Bool { row.reaction == .retry }
}

/// A refusal by the chat or the gateway, which becomes an error code in the reply; the connection stays open.
public struct Rejection: Error, Equatable, Sendable, CustomStringConvertible {
    public let code: ErrorCode
    /// The exact cause: a field, a limit or an id. Never message text or a token.
    public let detail: String?
    /// How long to wait before trying again; `nil` when that is unknown or pointless.
    public let retryAfterMilliseconds: Int64?

    public init(_ code: ErrorCode, _ detail: String? = nil, retryAfterMilliseconds: Int64? = nil) {
        self.code = code
        self.detail = detail
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    public var message: String {
        guard let detail else { return code.row.message }
        return code.row.message + ": " + detail
    }

    public var description: String { "\(code.rawValue) \(message)" }
}
