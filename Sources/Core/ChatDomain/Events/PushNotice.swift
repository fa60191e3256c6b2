import ChatModel

/// A message for users who may be offline, with the devices that can reach them (`L2`).
package struct PushNotice: Sendable {
    /// Its name among the webhook event types.
    package static let type = "push"

    /// Recipients in one webhook delivery; further ones follow in later deliveries.
    package static let recipientsPerDelivery = 500
    /// The approximate size in bytes of the recipients and their devices in one delivery, without the message.
    package static let bytesPerDelivery = 262_144

    package struct Recipient: Sendable, Equatable {
        package let user: UserID
        package let devices: [Device]
    }

    package let at: Int64
    package let position: RoomOffset
    package let channelName: String
    /// Without the quoted parent, which a recipient may not be allowed to see (`CH7`).
    package let message: Message
    /// How many members of the channel were examined for earlier notices of the message.
    package let place: Int
    /// Members who want the push and are not connected, in the order in which they joined.
    package let recipients: [Recipient]

    /// How many of the recipients the next delivery holds: at least one.
    package func nextDeliverySize(_ rest: some Collection<Recipient>) -> Int {
        var bytes = 0
        let some = rest.prefix(Self.recipientsPerDelivery).prefix { recipient in
            bytes += recipient.wireSize
            return bytes <= Self.bytesPerDelivery
        }
        return max(1, some.count)
    }

    /// Identifies a delivery: the same in every attempt, and after a restart.
    ///
    /// - Parameter place: How many of the recipients were in earlier deliveries.
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

extension RoomOffset {
    /// Identifies the event at this position: the same in every attempt to deliver it, and after a restart.
    package func deliveryID(at time: Int64) -> String {
        var hash = StableHash()
        hash.combine(room.name)
        return ["evt_" + String(time, radix: 36), String(offset, radix: 36), String(hash.value, radix: 36)]
            .joined(separator: "_")
    }
}
