import ChatModel

/// The app's settings for guests, who are users without an account.
package struct GuestSettings: Sendable, Equatable {
    /// Whether guests are enabled. If not, none can be created, and existing guests cannot call anything.
    package var isEnabled = false
    /// Whether guests can write and react, or only read.
    package var canWrite = true
    /// The maximum number of existing guests.
    package var limit = 10_000
    /// How long a guest can be absent before being removed, in seconds.
    package var awaySeconds = 86_400
    /// How long a guest's token is valid, in seconds.
    package var tokenSeconds = 2_592_000

    package init() {}

    /// The shares of `limit` for one IPv4 address or IPv6 /64, for one IPv4 /24 or IPv6 /48, and for all guests not
    /// created by the app's backend. The rest is reserved for the backend.
    package var limitPerAddress: Int { max(20, limit / 8) }
    package var limitPerNetwork: Int { max(100, limit / 4) }
    package var newcomerLimit: Int { limit - limit / 10 }

    package var awayMilliseconds: Int64 { Int64(awaySeconds) * 1_000 }
    /// The interval of the scan for absent guests, in milliseconds. Guests are removed at most this late.
    package var scanMilliseconds: Int { min(3_600_000, max(1_000, awaySeconds * 1_000 / 24)) }
}

/// The chat's part of `guest.create`: creates the guest within the limit. The API adds the signed token to the
/// response.
package struct AdmitGuest: Change {
    package typealias Response = UserResponse
    package static let method = CreateGuest.method
    /// A new id in the form reserved for guests.
    package let id: UserID
    package let nickname: String?

    package init(id: UserID, nickname: String?) {
        self.id = id
        self.nickname = nickname
    }

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let guests = context.settings.guests
        guard guests.isEnabled else { throw Rejection(.featureDisabled, "guests (guests.enabled)") }
        try FieldChecks.name(nickname, "nickname", atMost: FieldLimits.nicknameCodePoints)
        guard id.isGuest, !state.knows(id) else { throw Rejection(.internal, "the guest's id is taken") }
        guard state.guestCount < guests.limit else { throw Rejection(.tooMany, "guests: at most \(guests.limit)") }
        let checked = try state.checkedName(nickname, customType: nil, context)
        let name = checked.flatMap { $0.isEmpty ? nil : $0 } ?? id.guestName ?? id.rawValue
        return Decision([
            .userCreated(
                Event.UserCreated(id: id, nickname: name, metadata: [:], inboxEpoch: context.freshEpoch))
        ])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        Response(user: try state.user(id).view(context.presence))
    }
}

extension ChatState {
    package var guestCount: Int { guests.count }

    /// Returns why a user cannot be in a channel or have a role: guests can only be in public channels, and are never
    /// operators.
    ///
    /// - Returns: 1026 with the id; `nil` for everyone who is not a guest.
    func guestRefusal(of user: UserID, isPublic: Bool, as role: MemberRole) -> Rejection? {
        guard user.isGuest, !isPublic || role == .operator else { return nil }
        return Rejection(.notForGuests, "user \(user)")
    }
}
