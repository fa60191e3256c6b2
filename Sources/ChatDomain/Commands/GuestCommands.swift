import ChatModel
import WireProtocol

/// What the app decides about guests: people without an account.
package struct GuestSettings: Sendable, Equatable {
    /// False: nobody is made, and those who are there can call nothing.
    package var areWelcome = false
    /// Whether they write and react, or only look.
    package var mayTalk = true
    /// As many there may be at a time.
    package var atMost = 10_000
    /// How long one may be away before they are forgotten, in seconds.
    package var awaySeconds = 86_400
    /// How long a guest's token is good, in seconds.
    package var tokenSeconds = 2_592_000

    package init() {}

    /// Of them, those of one IPv4 address or IPv6 /64, those of one IPv4 /24 or IPv6 /48, and all who came by themselves: the
    /// rest is for those whom the app's backend makes.
    package var atMostOfAddress: Int { max(20, atMost / 8) }
    package var atMostOfNetwork: Int { max(100, atMost / 4) }
    package var atMostOfNewcomers: Int { atMost - atMost / 10 }

    package var awayMilliseconds: Int64 { Int64(awaySeconds) * 1_000 }
    /// How often it is looked who is away, in milliseconds: a stay is off by no more than this.
    package var lookMilliseconds: Int { min(3_600_000, max(1_000, awaySeconds * 1_000 / 24)) }
}

/// Takes in a guest whose token is signed already: signing takes keys and its own queue, whether there is room is the
/// chat's to say.
package struct AdmitGuest: Change {
    package typealias Response = CreateGuest.Response
    package static let method = CreateGuest.method
    /// Of the form that only guests have.
    package let id: UserID
    package let nickname: String?
    /// `nil` when the signature failed.
    package let token: String?
    /// Milliseconds since 1970.
    package let expiresAt: Int64

    package init(id: UserID, nickname: String?, token: String?, expiresAt: Int64) {
        self.id = id
        self.nickname = nickname
        self.token = token
        self.expiresAt = expiresAt
    }

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let guests = context.settings.guests
        guard guests.areWelcome else { throw Rejection(.featureDisabled, "guests") }
        try FieldChecks.name(nickname, "nickname", atMost: FieldLimits.nicknameCodePoints)
        guard token != nil, id.isGuest, !state.knows(id) else { throw Rejection(.internal, "token") }
        guard state.guestCount < guests.atMost else { throw Rejection(.tooMany, "guests: \(guests.atMost)") }
        let name = nickname.flatMap { $0.isEmpty ? nil : $0 } ?? id.guestName ?? id.rawValue
        return Decision([
            .userCreated(
                Event.UserCreated(id: id, nickname: name, metadata: [:], inboxEpoch: context.freshEpoch))
        ])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        guard let token else { throw Rejection(.internal, "token") }
        return Response(user: try state.user(id).view(context.presence), token: token, expiresAt: expiresAt)
    }
}

extension ChatState {
    package var guestCount: Int { guests.count }

    /// Why someone cannot be in a channel, or not as this: guests are in public ones, and govern none.
    ///
    /// - Returns: 1026 with the id; `nil` for everyone who is no guest.
    func guestRefusal(of user: UserID, isPublic: Bool, as role: MemberRole) -> Rejection? {
        guard user.isGuest, !isPublic || role == .operator else { return nil }
        return Rejection(.notForGuests, "user \(user)")
    }
}
