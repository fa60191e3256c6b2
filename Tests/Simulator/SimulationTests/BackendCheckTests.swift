import ChatDomain
import ChatModel
import Simulation
import Testing

/// Tests of the checkers for backend commands, revocations and guests.
@Suite struct BackendCheckTests {
    /// A history with answered backend commands, a revoked token and a removed guest, but no deleted user, whose tokens
    /// would all be invalid.
    private static let sound = {
        for seed in 1... as PartialRangeFrom<UInt64> {
            let simulated = Simulator(seed: seed).run()
            let tally = Tally(simulated.history)
            let deletes = simulated.history.moments.contains { moment in
                if case .backendCommanded(_, let request) = moment { request is DeleteUser } else { false }
            }
            if tally.backendCommands > 5, tally.withoutToken > 0, tally.guestsRemoved > 0, !deletes { return simulated }
        }
        return Simulator(seed: 1).run()
    }()

    private static func guarantees(behind moments: [History.Moment]) -> Set<Violation.Guarantee> {
        var history = sound.history
        history.moments += moments
        return Set(history.violations(forgetsEvents: true).map(\.guarantee))
    }

    /// Returns the next frame to be written.
    private static func frame(_ events: Event..., at time: Int64 = .max / 2) -> History.Moment {
        var last: UInt64 = 0
        for moment in sound.history.moments {
            switch moment {
            case .began(let frames, _, _): last = frames.last?.sequence ?? 0
            case .appended(let frame): last = frame.sequence
            default: break
            }
        }
        let records = events.map { Record(event: $0, at: time, by: nil, positions: []) }
        return .appended(History.Frame(sequence: last + 1, records: records))
    }

    private let ann: UserID
    private let guest = UserID.guest(9, 9)
    private let tea: ChannelID

    init() throws {
        ann = try #require(UserID("ann"))
        tea = try #require(ChannelID("tea"))
    }

    private func answered(_ request: any Request, _ response: any Encodable & Sendable) -> [History.Moment] {
        [.backendCommanded(number: 9_999, request), .backendAnswered(number: 9_999, .success(response))]
    }

    private func channel() -> Channel {
        Channel(
            id: tea, name: "", isPublic: true, isDistinct: false, isSuper: false, customType: nil, data: nil,
            coverURL: nil, metadata: nil, createdAt: 0, createdBy: nil, memberCount: 0, joinedMemberCount: 0)
    }

    @Test func `a correct history passes every check`() {
        #expect(Self.guarantees(behind: []) == [])
        #expect(Tally(Self.sound.history).guestsRemoved > 0)
    }

    @Test func `acknowledged users, guests and memberships that are missing are reported as lost`() throws {
        let zoe = try #require(UserID("zoe"))
        let users = answered(
            UpsertUsers(users: [UpsertUser(id: zoe)]), UpsertUsers.Response(users: [User(id: zoe, nickname: "")]))
        #expect(Self.guarantees(behind: users) == [.nothingLost])
        let guests = answered(
            AdmitGuest(id: guest, nickname: nil),
            AdmitGuest.Response(user: User(id: guest, nickname: "")))
        #expect(Self.guarantees(behind: guests) == [.nothingLost])
        let channel = channel()
        let members = answered(
            AddMembers(channelID: tea, userIDs: [ann]),
            AddMembers.Response(channel: channel, joined: [ann], refused: []))
        #expect(Self.guarantees(behind: members) == [.nothingLost])
    }

    @Test func `a channel is either accepted or refused, and every response belongs to a request`() {
        let channel = channel()
        let refusal = UpsertChannels.Refusal(channelID: tea, code: 1, message: "")
        let request = UpsertChannels(channels: [ChannelUpsert(id: tea)])
        for (channels, refused) in [([], []), ([channel], [refusal])] as [([Channel], [UpsertChannels.Refusal])] {
            let answer = UpsertChannels.Response(channels: channels, created: [], refused: refused)
            #expect(Self.guarantees(behind: answered(request, answer)) == [.answersHold])
        }
        let users = UpsertUsers.Response(users: [])
        #expect(Self.guarantees(behind: [.backendAnswered(number: 9_999, .success(users))]) == [.answersHold])
    }

    @Test func `accepting a token that the backend has revoked is detected`() {
        let second: Int64 = .max / 4
        let revoked = RevokeTokens.Response(user: User(id: ann, nickname: ""), before: second)
        let revocation: [History.Moment] =
            [Self.frame(.tokensRevoked(ann, before: second))]
            + answered(RevokeTokens(userID: ann), revoked)
        for (issuedAt, isRevoked) in [(second - 1, true), (second, false)] {
            let guarantees: Set<Violation.Guarantee> = isRevoked ? [.revocation] : []
            let arrival: [History.Moment] = [
                .tokenPresented(client: 0, command: 1, ann, issuedAt: issuedAt), .tokenAccepted(client: 0, command: 1),
            ]
            #expect(Self.guarantees(behind: revocation + arrival) == guarantees)
            // If presented before the revocation, the token may be accepted, and the user is gone once everything is
            // quiet.
            #expect(Self.guarantees(behind: arrival + revocation) == [])
            #expect(Self.guarantees(behind: arrival + revocation + [.quiet]) == guarantees)
        }
    }

    @Test func `a server that refuses a valid token is detected`() {
        let closing: [History.Moment] = [
            .tokenPresented(client: 0, command: 1, ann, issuedAt: .max / 4), .line(client: 0, .closed(code: 3500)),
        ]
        #expect(Self.guarantees(behind: closing) == [.protocolFollowed])
        #expect(Self.guarantees(behind: [Self.frame(.tokensRevoked(ann, before: .max / 2))] + closing) == [])
    }

    /// The log of a cluster shows a revocation later than the node that decides on it.
    @Test func `a token may be refused for a revocation under way, if the revocation then covers it`() {
        let second: Int64 = .max / 4
        let ask = History.Moment.backendCommanded(number: 1, RevokeTokens(userID: ann))
        let closing: [History.Moment] = [
            .tokenPresented(client: 0, command: 1, ann, issuedAt: second), .line(client: 0, .closed(code: 3500)),
        ]
        func revoked(before: Int64) -> [History.Moment] { [Self.frame(.tokensRevoked(ann, before: before))] }
        #expect(Self.guarantees(behind: [ask] + closing + revoked(before: second + 1)) == [])
        #expect(Self.guarantees(behind: [ask] + closing + revoked(before: second)) == [.protocolFollowed])
        #expect(Self.guarantees(behind: [ask] + revoked(before: second) + closing) == [.protocolFollowed])
        // The second revocation is the reason.
        #expect(Self.guarantees(behind: [ask, ask] + closing + revoked(before: second)) == [])
    }

    @Test func `the check detects a guest who moderates, is removed too early, or acts after removal`() {
        let created = Event.userCreated(.init(id: guest, nickname: "", metadata: [:], inboxEpoch: "e"))
        for events in [
            [.guestRemoved(guest)], [.guestSeen(guest)], [created, .guestRemoved(guest)],
            [created, .operatorAdded(tea, guest)],
            [created, .memberJoined(.init(channel: tea, user: guest, role: .operator, seesHistory: true))],
        ] as [[Event]] {
            var moment = Self.frame()
            if case .appended(let frame) = moment {
                let records = events.map { Record(event: $0, at: 5, by: nil, positions: []) }
                moment = .appended(History.Frame(sequence: frame.sequence, records: records))
            }
            #expect(Self.guarantees(behind: [moment]) == [.guests], "\(events)")
        }
    }
}
