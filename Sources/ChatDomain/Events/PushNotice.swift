import ChatModel

/// A message for those who may be offline, with the devices by which they can be reached (`L2`).
package struct PushNotice: Sendable {
    /// Its name among the types of webhooks.
    package static let type = "push"

    /// Recipients of one delivery to a webhook; more go out in further ones.
    package static let recipientsPerDelivery = 500
    /// About as many bytes of recipients and their devices go out in one delivery, beside the message.
    package static let bytesPerDelivery = 262_144

    package struct Recipient: Sendable, Equatable {
        package let user: UserID
        package let devices: [Device]
    }

    package let at: Int64
    package let position: Record.Position
    package let channelName: String
    /// Without the parent it quotes: a recipient may not be allowed to see that (`CH7`).
    package let message: Message
    /// Members who want it, in no order.
    package let recipients: [Recipient]

    /// How many of the recipients go out in the next delivery: at least one.
    package func recipientsOfDelivery(_ rest: some Collection<Recipient>) -> Int {
        var bytes = 0
        let some = rest.prefix(Self.recipientsPerDelivery).prefix { recipient in
            bytes += recipient.wireSize
            return bytes <= Self.bytesPerDelivery
        }
        return max(1, some.count)
    }

    /// For those alone who are not there.
    ///
    /// - Returns: `nil` when all are.
    package func leavingOut(_ presence: PresenceTable) -> PushNotice? {
        let absent = recipients.filter { !presence.isConnected($0.user) }
        guard !absent.isEmpty else { return nil }
        return PushNotice(
            at: at, position: position, channelName: channelName, message: message, recipients: absent)
    }
}

extension ChatState {
    /// Nothing unless a webhook wants pushes: then the work grows with the members, here alone.
    func pushes(_ record: Record, _ sent: Event.MessageSent) -> [Effect] {
        guard webhooks.contains(where: { $0.webhook.events.includes(PushNotice.type) }),
            let position = record.positions.first, let channel = channels[sent.channel],
            let message = channel.message(sent.id), message.extras?.pushOption != .suppress
        else { return [] }
        let recipients = channel.members.compactMap { id, member -> PushNotice.Recipient? in
            guard id != sent.sender, let user = users[id], user.isActive, !user.devices.isEmpty,
                member.hidden != .hiddenPreventAutoUnhide, channel.addresses(id, message),
                user.isPushed(member.push, isMentioned: message.mentions(id))
            else { return nil }
            return PushNotice.Recipient(user: id, devices: user.devices)
        }
        guard !recipients.isEmpty else { return [] }
        return [
            .push(
                PushNotice(
                    at: record.at, position: position, channelName: channel.name,
                    message: view(of: message, in: channel, visibleFrom: 0, quotesParent: false),
                    recipients: recipients))
        ]
    }

    func webhookEffects(of record: Record) -> [Effect] {
        switch record.event {
        case .webhookSet, .webhookDeleted: [.webhooksChanged(webhooks)]
        default: []
        }
    }
}

extension UserState {
    /// What is said of the channel counts, and else what is said of all.
    fileprivate func isPushed(_ channel: ChannelPush, isMentioned: Bool) -> Bool {
        switch (channel, push) {
        case (.all, _), (.default, .all): true
        case (.off, _), (.default, .off): false
        case (.mentionOnly, _), (.default, .mentionOnly): isMentioned
        }
    }
}

extension ChannelState {
    /// Whether a message is for a member: a reply that stands in its thread alone is for those who take part in the thread
    /// or are mentioned (`PU2`).
    fileprivate func addresses(_ user: UserID, _ message: StoredMessage) -> Bool {
        guard let parent = message.parent, !message.standsInChannel else { return true }
        return takesPart(user, in: parent) || message.mentions(user)
    }
}

extension StoredMessage {
    fileprivate func mentions(_ user: UserID) -> Bool {
        switch mentions {
        case .channel: true
        case .users(let users): users.contains(user)
        case nil: false
        }
    }
}

extension Record.Position {
    /// Names the event at this place in every attempt to deliver it, and after a restart too.
    package func deliveryID(at time: Int64) -> String {
        var hash = StableHash()
        hash.combine(room.name)
        return ["evt_" + String(time, radix: 36), String(offset, radix: 36), String(hash.value, radix: 36)]
            .joined(separator: "_")
    }
}
