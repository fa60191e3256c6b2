import ChatDomain
import ChatModel
import TestSupport
import Testing
import WireProtocol

/// Counts over a user's many channels while the chat changes concurrently.
@Suite struct ChannelSurveyTests {
    private static let count = 700

    private func channel(_ number: Int) -> ChannelID { ChannelID("c\(1_000 + number)") ?? general }

    /// Returns a chat in which bob is in all of ann's channels but the last ten.
    private func chat() throws -> Chat {
        var chat = Chat([ann, bob])
        chat.settings.channelsPerUser = 100_000
        chat.settings.channelsPerCreator = 100_000
        for number in 0..<Self.count {
            try chat.create(channel(number), with: number < Self.count - 10 ? [bob] : [], isPublic: true)
        }
        return chat
    }

    private func finish(_ survey: ChannelSurvey, _ state: ChatState) {
        let work = WorkMeter()
        while !survey.advance(in: state, work) { work.beginSlice() }
    }

    @Test func `channels are counted over several turns, and a turn ends when its work budget is spent`() throws {
        let chat = try chat()
        let work = WorkMeter()
        let survey = ChannelSurvey(of: bob, in: chat.state)
        var turns = 1
        while !survey.advance(in: chat.state, work) {
            #expect(work.drain() < WorkMeter.slice + WorkCost.total)
            turns += 1
        }
        #expect(turns == (Self.count - 10) * WorkCost.total / WorkMeter.slice + 1)
        let told = survey.arrival(joiningRooms: true, in: chat.state, work)
        #expect(told.standings == chat.state.standings(of: bob) && told.standings.count == Self.count - 9)
    }

    @Test func `a connection that joins no rooms gets the inbox and all totals`() throws {
        var chat = try chat()
        try chat.say("hello", in: channel(3))
        let survey = ChannelSurvey(of: bob, in: chat.state)
        finish(survey, chat.state)
        let told = survey.arrival(joiningRooms: false, in: chat.state, WorkMeter())
        #expect(told.standings.map(\.room) == [.inbox(bob)])
        #expect(told.unread.unreadCount == 1 && told.unread.unreadChannelCount == 1)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `the results reflect the state at the last turn, whatever happens between turns`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var chat = try chat()
        // With an odd seed, only changes that do not reach bob's inbox.
        let kinds = seed % 2 == 1 ? 4 : 10
        var parents: [(channel: ChannelID, id: MessageID)] = []
        let work = WorkMeter()
        let survey = ChannelSurvey(of: bob, in: chat.state)
        while !survey.advance(in: chat.state, work) {
            work.beginSlice()
            for _ in 0..<40 {
                let id = channel(Int.random(in: 0..<Self.count, using: &random))
                switch Int.random(in: 0..<kinds, using: &random) {
                case 0, 1: parents.append((id, try chat.say("hello", in: id).id))
                case 2: _ = chat.refusal(of: DeleteChannel(channelID: id), as: .user(ann))
                case 3:
                    guard let parent = parents.last else { continue }
                    _ = chat.refusal(
                        of: SendMessage(
                            channelID: parent.channel, text: "reply", parentMessageID: parent.id), as: .user(ann))
                case 4: _ = chat.refusal(of: MarkRead(channelID: id), as: .user(bob))
                case 5: _ = chat.refusal(of: LeaveChannel(channelID: id), as: .user(bob))
                case 6: _ = chat.refusal(of: JoinChannel(channelID: id), as: .user(bob))
                case 7: _ = chat.refusal(of: HideChannel(channelID: id, allowAutoUnhide: false), as: .user(bob))
                case 8: _ = chat.refusal(of: ResetHistory(channelID: id), as: .user(bob))
                default:
                    guard let parent = parents.last else { continue }
                    _ = chat.refusal(
                        of: SendMessage(
                            channelID: parent.channel, text: "reply", parentMessageID: parent.id), as: .user(bob))
                }
            }
            parents.removeAll { parent in chat.refusal(of: GetChannel(channelID: parent.channel), as: .server) != nil }
        }
        let told = survey.arrival(joiningRooms: true, in: chat.state, work)
        #expect(told.standings == chat.state.standings(of: bob), "seed \(seed)")
        #expect(told.unread == chat.state.unreadTotals(of: bob), "seed \(seed)")
        #expect(told.unread.unreadCount > 0)
    }
}
