import ChatModel
import Testing
import WireProtocol

@testable import ChatDomain

/// Issue 20, N01, N02, N80 and N81: commands were charged for their own bytes, not for the events they caused.
@Suite struct EventSizeTests {
    /// Text that takes six bytes of JSON per stored byte.
    private let controls = String(repeating: "\u{1}", count: FieldLimits.textBytes)

    private func announcements(_ chat: Chat) -> [Announcement] {
        chat.lastEffects.compactMap { effect in
            if case .announce(let announcement) = effect { announcement } else { nil }
        }
    }

    private func bytes(_ announcement: Announcement) -> Int {
        let redacted = announcement.redacted.map { WireEncoder().encode($0).count } ?? 0
        return WireEncoder().encode(announcement.event).count + redacted
    }

    @Test func `an event is charged at least its size in bytes, and not much more`() throws {
        var chat = Chat()
        try chat.run(
            CreateChannel(
                id: general, name: String(repeating: "\"", count: 40), userIDs: [bob], operatorUserIDs: [ann],
                metadata: Dictionary(
                    uniqueKeysWithValues: (0..<20).map { ("k\($0)", String(repeating: "\u{1}", count: 1_000)) })),
            as: .user(ann))
        var checked = 0
        func check(_ comment: String) {
            for announcement in announcements(chat) {
                checked += 1
                let bytes = bytes(announcement)
                let size = announcement.wireSize
                #expect(size >= bytes && size < bytes + bytes / 10 + 3_000, "\(comment): \(size) for \(bytes)")
            }
        }
        check("create")
        let parent = try chat.run(SendMessage(channelID: general, text: controls), as: .user(ann)).message
        check("send")
        let reply = try chat.run(
            SendMessage(channelID: general, text: "x", parentMessageID: parent.id), as: .user(bob)
        ).message
        check("reply")
        try chat.run(
            UpdateMessage(channelID: general, messageID: parent.id, customType: "c"), as: .user(ann))
        check("update")
        try chat.run(AddReaction(channelID: general, messageID: parent.id, key: "sob"), as: .user(bob))
        check("react")
        try chat.run(FreezeChannel(channelID: general), as: .user(ann))
        check("freeze")
        try chat.run(InviteToChannel(channelID: general, userIDs: [cat, dan]), as: .user(ann))
        check("invite")
        try chat.run(MarkRead(channelID: general), as: .user(bob))
        check("read")
        try chat.run(DeleteMessage(channelID: general, messageID: reply.id), as: .user(bob))
        check("delete a reply")
        try chat.run(DeleteChannel(channelID: general), as: .user(ann))
        check("delete")
        #expect(checked >= 12)
    }

    @Test
    func `a short reply is charged only once for the parent it quotes, even if the redacted form hides it`() throws {
        var chat = Chat()
        try chat.create()
        let text = String(repeating: "\u{1}", count: Event.Quote.textBytes)
        let parent = try chat.run(SendMessage(channelID: general, text: text), as: .user(ann)).message
        let sent = announcements(chat).map(bytes).reduce(0, +)
        try chat.run(SendMessage(channelID: general, text: "x", parentMessageID: parent.id), as: .user(ann))
        let cost = chat.lastEffects.reduce(0) { $0 + $1.cost }
        #expect(cost > sent * WorkCost.announcedByte)
        #expect(cost < (sent + 5_000) * WorkCost.announcedByte + 3 * WorkCost.effect)
    }

    @Test func `a push is charged for each delivery`() throws {
        let message = Message(
            id: MessageID(high: 1, low: 1), channelID: general, kind: .text, text: controls, user: nil, createdAt: 1,
            offset: 1)
        func cost(_ recipients: Int) -> Int {
            Effect.push(
                PushNotice(
                    at: 1, position: RoomOffset(room: .channel(general), offset: 1), channelName: "",
                    message: message, place: 0,
                    recipients: Array(
                        repeating: PushNotice.Recipient(
                            user: ann, devices: [Device(provider: .fcm, token: String(repeating: "t", count: 1_000))]),
                        count: recipients))
            ).cost
        }
        #expect(cost(1) > 98_000 * WorkCost.announcedByte)
        #expect(cost(1_000) > (4 * 98_000 + 1_000_000) * WorkCost.announcedByte)
    }
}
