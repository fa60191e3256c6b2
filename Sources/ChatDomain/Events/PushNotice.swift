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
    /// How many members of the channel were asked for earlier notices of the message.
    package let place: Int
    /// Members who want it and are not there, in the order in which they joined.
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

    /// Names a delivery in every attempt, and after a restart too.
    ///
    /// - Parameter place: How many of the recipients went out in earlier deliveries.
    package func deliveryID(after place: Int) -> String {
        "\(position.deliveryID(at: at))_push\(self.place + place)"
    }
}

extension ChatState {
    func webhookEffects(of record: Record) -> [Effect] {
        switch record.event {
        case .webhookSet, .webhookDeleted: [.webhooksChanged(webhooks)]
        default: []
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
