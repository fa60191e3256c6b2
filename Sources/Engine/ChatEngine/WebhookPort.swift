import ChatDomain
import ChatModel
import Gateway
import WireProtocol

/// The webhook delivery service, as the publisher sees it. Called on the log's queue, except `begin`; must not block.
///
/// Frames are identified by their numbers in the log. A restart repeats events in the same order. All events of a frame
/// come before `advance(to:)`.
package protocol WebhookPort: Sendable {
    /// Sets the webhooks as of some frame of the log, before any event is passed. Events after that frame follow next,
    /// and are sent after `start`.
    ///
    /// - Parameters:
    ///   - base: The number of that frame.
    ///   - last: The number of the log's last frame.
    /// - Returns: The frame up to which every webhook has received everything.
    func begin(_ targets: [WebhookTarget], base: UInt64, last: UInt64) -> UInt64
    /// Called once all events from the log have been passed; delivery starts.
    func start()
    /// Replaces the webhooks, from this frame on.
    func configure(_ targets: [WebhookTarget], at frame: UInt64)
    /// Whether some webhook receives events of this type.
    func wants(_ type: String) -> Bool
    /// - Parameters:
    ///   - id: The same in every attempt, so that receivers can detect duplicates.
    ///   - body: JSON.
    ///   - user: The user who caused the event; `nil` for the app's backend.
    ///   - published: Everything up to this frame has been published; after a crash, events that were not accepted are
    ///     repeated from there. It is the frame before this one, unless pushes of an earlier frame are outstanding.
    func deliver(_ type: String, id: String, body: [UInt8], by user: UserID?, of frame: UInt64, after published: UInt64)
    /// Everything up to this frame has been published.
    func advance(to frame: UInt64)
}

/// The store of events that webhook receivers never accepted. Call from any queue; answers arrive on any queue.
package protocol DeadLetterPort: Sendable {
    /// - Parameter serial: The serial of the last letter on the previous page; 0 for the first page.
    func deadLetters(
        of webhook: String, after serial: UInt64, limit: Int,
        _ done: @escaping @Sendable (_ letters: [DeadLetter], _ next: UInt64?) -> Void)

    /// Delivers dead letters again, after the deliveries that are already waiting.
    ///
    /// - Parameters:
    ///   - ids: The letters to deliver; `nil` for all of them.
    ///   - done: Gets the number of letters queued again; letters that do not fit the queue remain dead letters. `nil` if
    ///     the node that sends does not answer: it may have queued them or not.
    func replay(_ ids: [String]?, of webhook: String, _ done: @escaping @Sendable (Int?) -> Void)
}

/// Encodes durable events for webhooks.
///
///     {"type":"message.new","at":…,"room":"general","offset":42,"data":{…}}
struct WebhookWriter {
    let port: any WebhookPort
    private let encoder = WireEncoder()

    init(port: any WebhookPort) { self.port = port }

    /// - Parameter data: Returns the complete event, as members receive it; called only if a webhook wants the event.
    func deliver(
        _ announcement: Announcement, of frame: UInt64, after published: UInt64, _ data: () -> [UInt8]
    ) {
        let type = announcement.event.type.rawValue
        guard let position = announcement.positions.first, port.wants(type) else { return }
        let at = announcement.event.at
        port.deliver(
            type, id: position.deliveryID(at: at), body: body(type, at, position, data()), by: announcement.event.by,
            of: frame, after: published)
    }

    /// Delivers an event without a room:
    ///
    ///     {"type":"report.created","at":…,"data":{…}}
    func notify(_ event: TypedEvent, id: String, of frame: UInt64, after published: UInt64) {
        let type = event.type.rawValue
        guard port.wants(type) else { return }
        var body = Array(#"{"type":"\#(type)","at":\#(event.at),"data":"#.utf8)
        body += encoder.encode(event)
        body.append(UInt8(ascii: "}"))
        port.deliver(type, id: id, body: body, by: event.by, of: frame, after: published)
    }

    func push(_ notice: PushNotice, of frame: UInt64, after published: UInt64) {
        guard port.wants(PushNotice.type) else { return }
        var rest = notice.recipients.sorted { $0.user < $1.user }[...]
        while !rest.isEmpty {
            let some = rest.prefix(notice.nextDeliverySize(rest))
            let start = some.startIndex
            rest = rest.dropFirst(some.count)
            let data = encoder.encode(
                PushData(
                    message: notice.message,
                    channel: PushData.Channel(id: notice.message.channelID, name: notice.channelName),
                    recipients: some.map { PushData.Recipient(userID: $0.user, devices: $0.devices) }))
            port.deliver(
                PushNotice.type, id: notice.deliveryID(after: start),
                body: body(PushNotice.type, notice.at, notice.position, data), by: notice.message.user?.id, of: frame,
                after: published)
        }
    }

    private func body(_ type: String, _ at: Int64, _ position: RoomOffset, _ data: [UInt8]) -> [UInt8] {
        var body = Array(#"{"type":"\#(type)","at":\#(at),"room":"#.utf8)
        body += encoder.encode(position.room.name)
        body += Array(#","offset":\#(position.offset),"data":"#.utf8)
        body += data
        body.append(UInt8(ascii: "}"))
        return body
    }
}

private struct PushData: Encodable, Sendable {
    struct Channel: Encodable, Sendable {
        let id: ChannelID
        let name: String
    }
    struct Recipient: Encodable, Sendable {
        let userID: UserID
        let devices: [Device]
        enum CodingKeys: String, CodingKey {
            case devices
            case userID = "user_id"
        }
    }
    let message: Message
    let channel: Channel
    let recipients: [Recipient]
}
