import ChatModel

/// A message for users who may be offline, with the devices that can reach them (`L2`).
package struct PushNotice: Sendable {
    /// The webhook event type of pushes.
    package static let type = "push"

    /// The maximum number of recipients in one webhook delivery; the others follow in later deliveries.
    package static let recipientsPerDelivery = 500
    /// The approximate maximum size in bytes of the recipients and their devices in one delivery, without the message.
    package static let bytesPerDelivery = 262_144

    package struct Recipient: Sendable, Equatable {
        package let user: UserID
        package let devices: [Device]
    }

    package let at: Int64
    package let position: RoomOffset
    package let channelName: String
    /// The message, without a quoted parent, which not every recipient can see (`CH7`).
    package let message: Message
    /// The number of channel members examined for earlier notices of the message.
    package let place: Int
    /// The recipients, none of whom is connected, in the order of joining.
    package let recipients: [Recipient]

    /// Returns the number of recipients in the next delivery: at least one.
    package func nextDeliverySize(_ rest: some Collection<Recipient>) -> Int {
        var bytes = 0
        let some = rest.prefix(Self.recipientsPerDelivery).prefix { recipient in
            bytes += recipient.wireSize
            return bytes <= Self.bytesPerDelivery
        }
        return max(1, some.count)
    }

    /// Returns the id of a delivery, which is the same for every attempt and after a restart.
    ///
    /// - Parameter place: The number of recipients in earlier deliveries.
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
    /// Returns the id of the event at this position, which is the same for every delivery attempt and after a restart.
    package func deliveryID(at time: Int64) -> String {
        var hash = StableHash()
        hash.combine(room.name)
        return ["evt_" + String(time, radix: 36), String(offset, radix: 36), String(hash.value, radix: 36)]
            .joined(separator: "_")
    }
}
