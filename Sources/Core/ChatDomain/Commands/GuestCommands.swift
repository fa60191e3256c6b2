import ChatModel

/// The app's settings for guests: people without an account.
package struct GuestSettings: Sendable, Equatable {
    /// If false, no guest is created, and existing guests cannot call anything.
    package var isEnabled = false
    /// Whether guests may write and react, or only read.
    package var canWrite = true
    /// The largest number of guests at a time.
    package var limit = 10_000
    /// How long a guest may be away before being removed, in seconds.
    package var awaySeconds = 86_400
    /// How long a guest's token is valid, in seconds.
    package var tokenSeconds = 2_592_000

    package init() {}

    /// The shares of `limit`: guests of one IPv4 address or IPv6 /64, guests of one IPv4 /24 or IPv6 /48, and all who
    /// joined without the app's backend. The rest is reserved for guests created by the backend.
    package var limitPerAddress: Int { max(20, limit / 8) }
    package var limitPerNetwork: Int { max(100, limit / 4) }
    package var newcomerLimit: Int { limit - limit / 10 }

    package var awayMilliseconds: Int64 { Int64(awaySeconds) * 1_000 }
    /// The interval of the scan for absent guests, in milliseconds; guests stay at most this much longer than set.
    package var scanMilliseconds: Int { min(3_600_000, max(1_000, awaySeconds * 1_000 / 24)) }
}

/// The chat's part of `guest.create`: creates the guest if there is room. The API signs the guest's token, and adds it
/// to the answer.
package struct AdmitGuest: Change {
    package typealias Response = UserResponse
    package static let method = CreateGuest.method
    /// New, and in the form reserved for guests.
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
        let name = nickname.flatMap { $0.isEmpty ? nil : $0 } ?? id.guestName ?? id.rawValue
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

    /// Why a user cannot be in a channel, or not in this role: guests may be in public channels only, and are never
    /// operators.
    ///
    /// - Returns: 1026 with the id; `nil` for everyone who is not a guest.
    func guestRefusal(of user: UserID, isPublic: Bool, as role: MemberRole) -> Rejection? {
        guard user.isGuest, !isPublic || role == .operator else { return nil }
        return Rejection(.notForGuests, "user \(user)")
    }
}
