/// The recommended reaction of a client to an error or a close.
public enum ClientReaction: String, Sendable, CaseIterable {
    /// Send the same request again after a delay.
    case retry
    /// Fetch a new token, then reconnect.
    case refreshToken = "refresh token"
    /// Correct the request before sending it again.
    case fixRequest = "fix the request"
    /// Connect again after the back-off delay.
    case reconnect
    /// Do not send the request again: it is not allowed, or its target does not exist.
    case giveUp = "give up"
}

/// The table of error codes. Codes below 1000 have the meanings of the Centrifuge protocol; codes from 1000 belong to
/// the chat.
public enum ErrorCode: Int, Sendable, CaseIterable {
    /// The server failed; its log has the details.
    case `internal` = 100
    /// The token or key is missing or invalid. HTTP only: a WebSocket is closed with 3500 instead.
    case unauthorized = 101
    /// The user subscribed to another user's inbox, unsubscribed from an inbox, or called `guest.create` while signed
    /// in.
    case permissionDenied = 103
    /// The command does not exist.
    case methodNotFound = 104
    /// The connection is already subscribed to this room.
    case alreadySubscribed = 105
    /// The body is not a JSON object, or a field is unknown, missing or has the wrong type.
    case badRequest = 107
    /// Belfry does not support this part of the Centrifuge protocol; the message names it.
    case notAvailable = 108
    /// The token has expired; the client needs a new one.
    case tokenExpired = 109
    /// The caller exceeded a rate or another limit; `retry_after_ms` or `Retry-After` says when to try again.
    case tooManyRequests = 111
    /// Missed events are no longer available, and the client requested an error instead of `recovered: false`.
    case unrecoverablePosition = 112
    /// The target does not exist, or the caller may not know about it.
    case notFound = 1000
    /// The command is for members only.
    case notAMember = 1001
    /// The user must accept the invitation first.
    case invitedNotMember = 1002
    /// The user is banned from the channel.
    case banned = 1003
    /// The user is muted in the channel; anything visible to others is refused.
    case muted = 1004
    /// The channel is frozen: only operators and the server can act in it.
    case channelFrozen = 1005
    /// The command is for operators only.
    case notAnOperator = 1006
    /// The command is for the message's author and operators only.
    case notTheAuthor = 1007
    /// The user is deactivated.
    case userDeactivated = 1008
    /// The command needs a server key.
    case serverOnly = 1009
    /// The user is already a member, or has an open invitation.
    case alreadyAMember = 1010
    /// The channel is not public.
    case invitationRequired = 1011
    /// There is no open invitation to accept or decline.
    case noInvitation = 1012
    /// The user has reached the maximum number of channels, or the share of it that others can fill.
    case channelLimit = 1013
    /// The channel has the maximum number of members.
    case memberLimit = 1014
    /// The id is in use or reserved; from `channel.upsert_many`: a user created the channel.
    case duplicateChannelID = 1015
    /// A super channel cannot be distinct.
    case distinctSuperConflict = 1016
    /// The settings do not let users create channels.
    case creationDisabled = 1017
    /// The feature is disabled in the settings, not configured, or not supported by this version; the message says
    /// which.
    case featureDisabled = 1018
    /// The server key lacks the scope that the command needs.
    case keyScope = 1019
    /// A reply cannot have replies.
    case threadDepth = 1020
    /// A message that has replies cannot be deleted.
    case parentHasReplies = 1021
    /// The parent of the reply is deleted or not visible to the user.
    case parentUnavailable = 1022
    /// The message is deleted.
    case messageDeleted = 1023
    /// The command does not apply to this kind of message.
    case wrongMessageKind = 1024
    /// The channel does not store messages.
    case ephemeralChannel = 1025
    /// Guests cannot use the command; the user must sign in with an account.
    case notForGuests = 1026
    /// A text or byte value exceeds its limit; the message says which.
    case tooLong = 1030
    /// A number of items exceeds its maximum.
    case tooMany = 1031
    /// A value is outside the range of its field.
    case invalidValue = 1032
    /// Another message already has the client id.
    case clientIDConflict = 1033
    /// The key is not in the emoji list.
    case unknownEmoji = 1034
    /// The file is too large, empty, already sent, or belongs to another user.
    case fileRejected = 1035
    /// The caller already used this `Idempotency-Key` for a different request.
    case idempotencyKeyReused = 1036
    /// The request with this `Idempotency-Key` is still in progress.
    case requestUnderWay = 1037
    /// The request with this `Idempotency-Key` was executed, but its response was too large to keep or was evicted. The
    /// client must look up the result.
    case answerNotKept = 1038
    /// The disk accepts no writes; the command was not executed.
    case storageUnavailable = 1040
    /// The server stopped before the outcome was known; retry with the same client id.
    case outcomeUnknown = 1041
    /// A text rule of the app refuses the text; the detail names it (`MO3`).
    case textRefused = 1050
    /// The channel is in slow mode, and the caller's last message is too recent (`MO5`).
    case slowMode = 1051
    /// A user who blocks the caller would see the effect (`MO1`).
    case blocked = 1052
    /// The caller's role does not have a permission, which the detail names (`RO1`).
    case notPermitted = 1054
    /// The caller is banned from the whole app (`MO2`).
    case bannedFromApp = 1055

    /// A row of the table: a constant message, the client's reaction, and the HTTP status.
    public struct Row: Sendable {
        /// The meaning of the code, as a constant phrase.
        public let message: String
        /// The recommended reaction of a client.
        public let reaction: ClientReaction
        /// The HTTP status of a response with this code.
        public let status: Int
    }

    /// The code's row in the table.
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
        case .textRefused: Row(message: "text refused", reaction: .fixRequest, status: 403)
        case .slowMode: Row(message: "slow mode", reaction: .retry, status: 429)
        case .blocked: Row(message: "blocked by this user", reaction: .giveUp, status: 403)
        case .notPermitted: Row(message: "not permitted", reaction: .giveUp, status: 403)
        case .bannedFromApp: Row(message: "banned from the app", reaction: .giveUp, status: 403)
        }
    }

    /// Whether the same request may succeed later; `temporary` in the Centrifuge protocol.
    public var isTemporary: Bool { row.reaction == .retry }
}

/// A refusal by the chat or the gateway. It becomes an error code in the reply, and the connection stays open.
public struct Rejection: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error code in the reply.
    public let code: ErrorCode
    /// The exact cause: a field, a limit or an id. Never contains message text or a token.
    public let detail: String?
    /// How long to wait before a retry; `nil` if unknown or pointless.
    public let retryAfterMilliseconds: Int64?

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - code: The error code in the reply.
    ///   - detail: The exact cause; never message text or a token.
    ///   - retryAfterMilliseconds: How long to wait before a retry; nil if unknown or pointless.
    public init(_ code: ErrorCode, _ detail: String? = nil, retryAfterMilliseconds: Int64? = nil) {
        self.code = code
        self.detail = detail
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    /// The code's message, followed by the detail if there is one.
    public var message: String {
        guard let detail else { return code.row.message }
        return code.row.message + ": " + detail
    }

    /// The code's number and the message.
    public var description: String { "\(code.rawValue) \(message)" }
}
