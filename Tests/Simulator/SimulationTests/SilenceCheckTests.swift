import ChatDomain
import ChatModel
import Simulation
import Testing

/// Tests of the silence checker, with frames as a server would write them.
@Suite struct SilenceCheckTests {
    private let ann: UserID
    private let bob: UserID
    private let tea: ChannelID
    private let message = MessageID(high: 1, low: 1)

    init() throws {
        ann = try #require(UserID("ann"))
        bob = try #require(UserID("bob"))
        tea = try #require(ChannelID("tea"))
    }

    private var beginning: [(Event, UserID?)] {
        let created = Event.ChannelCreated(
            id: tea, epoch: "e", name: "", isPublic: true, isSuper: false, metadata: [:], creator: ann,
            creatorRole: .operator)
        let joined = Event.MemberJoined(channel: tea, user: bob, role: .member, seesHistory: true)
        return [(.channelCreated(created), ann), (.memberJoined(joined), bob)]
    }

    /// - Parameter events: The events with their authors, one per frame and one second apart.
    private func isBroken(_ events: [(Event, UserID?)]) -> Bool {
        var check: [History.Moment] = []
        for (place, (event, user)) in (beginning + events).enumerated() {
            let record = Record(event: event, at: Int64(place) * 1_000, by: user, positions: [])
            check.append(.appended(History.Frame(sequence: UInt64(place) + 1, records: [record])))
        }
        var history = History()
        history.moments = check
        return history.violations(forgetsEvents: true).contains { $0.guarantee == .silence }
    }

    private var acts: [Event] {
        [
            .messageSent(.init(channel: tea, id: message, kind: .text, text: "x", sender: bob, replyToChannel: false)),
            .messageUpdated(.init(channel: tea, id: message, text: "x", mentions: .channel)),
            .threadUpdated(.init(channel: tea, parent: message, title: "x")),
            .reactionAdded(tea, message, key: "sob", by: bob), .invited(tea, ann, by: bob, role: .member),
            .memberUnmuted(tea, bob), .channelUpdated(.init(channel: tea, name: "x")),
        ]
    }

    @Test func `an action by a muted user is detected until the mute expires`() {
        let muted = Event.memberMuted(.init(channel: tea, user: bob, until: 10_000))
        for act in acts {
            #expect(isBroken([(muted, ann), (act, bob)]), "\(act)")
            #expect(!isBroken([(act, bob), (muted, ann)]))
            #expect(!isBroken([(muted, ann), (act, nil)]), "the app itself may")
            #expect(!isBroken([(muted, ann), (.memberUnmuted(tea, bob), ann), (act, bob)]))
        }
        let over = Event.memberMuted(.init(channel: tea, user: bob, until: 3_000))
        #expect(!isBroken([(over, ann), (acts[0], bob)]))
    }

    @Test func `an action by a user muted in the whole app or banned from it is detected until that ends`() {
        let (muted, banned) = (
            Event.AppSanctioned(user: bob, until: 10_000), Event.AppSanctioned(user: bob, until: 3_000)
        )
        for act in acts {
            #expect(isBroken([(.userMuted(muted), nil), (act, bob)]), "\(act)")
            #expect(!isBroken([(.userMuted(muted), nil), (.userUnmuted(bob), nil), (act, bob)]))
            #expect(isBroken([(.userBanned(muted), nil), (act, bob)]), "\(act)")
            #expect(!isBroken([(.userBanned(muted), nil), (.userUnbanned(bob), nil), (act, bob)]))
            #expect(!isBroken([(.userBanned(banned), nil), (act, bob)]), "the ban is over")
            let gone = Event.userForgotten(bob, alias: .deleted(1))
            #expect(!isBroken([(.userBanned(muted), nil), (.userMuted(muted), nil), (gone, nil), (act, bob)]))
        }
        #expect(isBroken([(.userBanned(muted), nil), (.memberLeft(tea, bob), bob)]), "which a mute allows")
        #expect(!isBroken([(.userMuted(muted), nil), (.memberLeft(tea, bob), bob)]))
    }

    @Test func `an action by an ordinary member of a frozen channel is detected`() {
        for act in acts {
            #expect(isBroken([(.channelFrozen(tea), ann), (act, bob)]), "\(act)")
            #expect(!isBroken([(.channelFrozen(tea), ann), (act, ann)]), "operators may")
            #expect(!isBroken([(.channelFrozen(tea), ann), (.operatorAdded(tea, bob), ann), (act, bob)]))
            #expect(!isBroken([(.channelFrozen(tea), ann), (.channelUnfrozen(tea), ann), (act, bob)]))
        }
    }

    @Test func `a silenced user leaving, returning and retracting their own content is accepted`() {
        let muted = Event.memberMuted(.init(channel: tea, user: bob, until: .max))
        let back = Event.memberJoined(.init(channel: tea, user: bob, role: .member, seesHistory: true))
        #expect(
            !isBroken([
                (muted, ann), (.messageDeleted(tea, message), bob), (.memberLeft(tea, bob), bob), (back, bob),
            ]))
        #expect(isBroken([(muted, ann), (.memberLeft(tea, bob), bob), (back, bob), (acts[0], bob)]))
    }
}
