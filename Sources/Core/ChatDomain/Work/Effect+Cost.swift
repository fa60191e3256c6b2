import ChatModel

extension Effect {
    /// The cost of publishing the effect, in work units.
    ///
    /// All acknowledgements pass through the queue that encodes events. Encoded bytes are therefore charged to the
    /// caller who caused them, even if the command was small.
    package var cost: Int {
        switch self {
        case .announce(let announcement): WorkCost.effect + announcement.wireSize * WorkCost.announcedByte
        case .deliver(let event, _): WorkCost.effect + event.wireSize * WorkCost.announcedByte
        case .transient(let rooms, let event, _):
            WorkCost.effect + rooms.count * WorkCost.entry + event.wireSize * WorkCost.announcedByte
        case .notify(let event, _): WorkCost.effect + event.wireSize * WorkCost.announcedByte
        case .push(let notice): WorkCost.effect + notice.cost
        default: WorkCost.effect
        }
    }
}

extension PushNotice {
    /// The cost of a push, whose deliveries repeat the message for every few hundred recipients.
    fileprivate var cost: Int {
        let bytes = recipients.reduce(0) { $0 + $1.wireSize }
        let deliveries = 1 + max(recipients.count / Self.recipientsPerDelivery, bytes / Self.bytesPerDelivery)
        return recipients.count * WorkCost.entry + (bytes + deliveries * message.wireSize) * WorkCost.announcedByte
    }
}
