import ChatDomain
import ChatModel
import TestSupport
import Testing
import WireProtocol

/// `L2`: the recipients of a push in a large channel are found in slices.
@Suite struct PushSearchTests {
    private let crowd = (0..<1_202).compactMap { UserID("m\(9_999 - $0)") }

    /// Returns a chat with a channel that has more members than one search slice examines, each with a device.
    private func begin() throws -> Chat {
        var chat = Chat([ann] + crowd)
        chat.settings.additionsAtOnce = 10_000
        let hook = SetWebhook(
            id: "a", url: "https://app.example", events: .types(["push"]), secret: "0123456789abcdef01234567")
        try chat.run(hook, as: .server)
        for user in [ann] + crowd {
            try chat.run(RegisterDevice(provider: .fcm, token: "of \(user)"), as: .user(user))
        }
        try chat.run(CreateChannel(id: general, isSuper: true), as: .user(ann))
        for start in stride(from: 0, to: crowd.count, by: FieldLimits.idsPerCommand) {
            _ = try chat.invite(Array(crowd[start..<min(crowd.count, start + FieldLimits.idsPerCommand)]))
        }
        return chat
    }

    /// Returns the pending search that a message leaves.
    private func search(_ chat: inout Chat, _ text: String = "hello", by user: UserID = ann) throws -> PushSearch {
        try chat.run(SendMessage(channelID: general, text: text), as: .user(user))
        return try #require(chat.lastSearches.first)
    }

    @Test func `L2: sending examines no members of a large channel, and each slice a limited number of them`() throws {
        var chat = try begin()
        var search = try search(&chat, by: crowd[3])
        #expect(!search.isShort)
        var found: [[UserID]] = []
        while !search.isOver {
            let work = WorkMeter()
            if let notice = search.next(in: chat.state, PresenceTable(), work) {
                #expect(
                    notice.place == 500 * found.count
                        && notice.deliveryID(after: 3).hasSuffix("_push\(notice.place + 3)"))
                found.append(notice.recipients.map(\.user))
            }
            #expect(work.drain() < WorkMeter.slice, "a turn ends after it")
        }
        #expect(found.map(\.count) == [499, 500, 203])
        #expect(found.joined().elementsEqual(([ann] + crowd).filter { $0 != crowd[3] }), "in the order of joining")
    }

    @Test func `L2: a later slice uses the state at its own time`() throws {
        var chat = try begin()
        var search = try search(&chat)
        // The first step selects the members, and the second examines them.
        let (first, second) = (search.next(in: chat.state), search.next(in: chat.state))
        #expect(first == nil && second?.recipients.count == 499)
        try chat.run(LeaveChannel(channelID: general), as: .user(crowd[600]))
        try chat.run(LeaveChannel(channelID: general), as: .user(crowd[601]))
        _ = try chat.invite([crowd[601]])
        try chat.run(UpdatePreferences(push: .off), as: .user(crowd[602]))
        chat.connect(crowd[603])
        var found: [UserID] = []
        while !search.isOver { found += search.next(in: chat.state, chat.live.presence)?.recipients.map(\.user) ?? [] }
        // A user who has returned joined after the message.
        #expect(found == crowd.dropFirst(499).filter { !crowd[600...603].contains($0) })
    }

    @Test
    func `L2, MS8: a message deleted meanwhile is pushed to no further users, even if its channel was replaced`() throws
    {
        var chat = try begin()
        let first = try search(&chat, "one")
        let message = try #require(chat.lastMessage)
        try chat.run(DeleteMessage(channelID: general, messageID: message), as: .user(ann))
        #expect(first.notices(in: chat.state).isEmpty)
        let second = try search(&chat, "two")
        #expect(second.notices(in: chat.state).count == 3)
        try chat.run(DeleteChannel(channelID: general), as: .server)
        #expect(second.notices(in: chat.state).isEmpty)
        try chat.run(CreateChannel(id: general, userIDs: [crowd[0]]), as: .user(ann))
        #expect(second.notices(in: chat.state).isEmpty)
    }

    @Test func `L2: in a channel with hundreds of members one slice is enough`() throws {
        var chat = Chat([ann, bob])
        try chat.run(
            SetWebhook(
                id: "a", url: "https://app.example", events: .all, secret: "0123456789abcdef01234567"), as: .server)
        try chat.run(RegisterDevice(provider: .fcm, token: "t"), as: .user(bob))
        try chat.create(with: [bob])
        try chat.say("hello")
        var search = try #require(chat.lastSearches.first)
        #expect(search.isShort)
        #expect(search.next(in: chat.state)?.recipients.map(\.user) == [bob] && search.isOver)
    }
}

extension Chat {
    fileprivate var lastMessage: MessageID? {
        for record in lastRecords { if case .messageSent(let sent) = record.event { return sent.id } }
        return nil
    }
}
