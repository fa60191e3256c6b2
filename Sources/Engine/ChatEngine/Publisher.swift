import ChatDomain
import ChatModel
import DequeModule
import Dispatch
import Gateway
import Journal
import Metrics
import WireProtocol

/// An event loop, as the publisher sees it.
package protocol DeliveryPort: AnyObject, Sendable {
    /// Hands a batch to the loop in one post; batches arrive in the order of the calls.
    func deliver(_ batch: [Delivery])

    /// Defers the engine's wake-up for a command that has just arrived, if the loop may have more of them.
    ///
    /// - Returns: Whether the loop will call `ChatEngine.wake` itself, once for all of them.
    func deferWake() -> Bool

    /// Deliveries handed over that have not reached their connections yet. Call from any queue.
    var waitingCount: Int { get }
}

extension DeliveryPort {
    package func deferWake() -> Bool { false }
    package var waitingCount: Int { 0 }
}

/// Turns durable outcomes into frames, keeps the rooms' rings, and sends each loop what it has listeners for: one
/// encoding per event, one post per loop and sync.
/// The frames carry the JSON form; the loop converts them for connections that use the other form.
///
/// All state is touched on `queue` only, which is the log's own.
package final class Publisher: @unchecked Sendable {
    /// Frees deleted objects; nothing waits for it.
    private static let garbage = DispatchQueue(label: "belfry.garbage")

    let queue: any SerialQueue
    let ports: [any DeliveryPort]
    var rings: RoomRings
    private var interest = RoomInterest()
    private var batches: [[Delivery]]
    /// Answers of the current outcomes that no connection waits for.
    private var replies: [(handle: @Sendable (Answer) -> Void, answer: Answer)] = []
    let encoder = WireEncoder()
    /// Writes events. Rings keep them for long, in arrays without unused capacity.
    private var eventWriter = JSONWriter(capacity: 4_096)
    private var metrics: PublisherMetrics
    let webhooks: WebhookWriter?
    let tap: EventTap?
    private let removeFiles: @Sendable ([FileID]) -> Void
    let recordErasure: @Sendable (ErasureStep) -> Void
    /// Users whose deletion ended before the restart, found while the rings are refilled.
    var forgottenAtStart: [UserID] = []
    /// Events kept at start-up and not encoded yet, oldest first; includes events that have since been evicted.
    var unencoded: Deque<(room: Room, offset: UInt64)> = []
    /// Events from before the restart that were encoded for the rings.
    package var encodedAtStart = 0
    /// Events that lost deleted content because somebody recovered them.
    package private(set) var redactedCount = 0
    var progress = PublishingProgress()
    var late = LateAnswers()
    /// Who pays for the deliveries of the current outcome.
    private var sender: Sender?
    /// The other nodes of the cluster; `nil` for a single node.
    private var port: (any ClusterPort)?
    /// Of the events that the current outcome has announced so far.
    private var announced = (count: 0, checksum: 0 as UInt64)
    /// The journal position of the next event.
    var position = JournalPosition(frame: 0, index: 0)

    package init(
        queue: any SerialQueue, ports: [any DeliveryPort], rings: RoomRings.Limits, metrics factory: any MetricsFactory,
        webhooks: (any WebhookPort)? = nil, tap: EventTap? = nil,
        removeFiles: @escaping @Sendable ([FileID]) -> Void = { _ in },
        recordErasure: @escaping @Sendable (ErasureStep) -> Void = { _ in }
    ) {
        self.removeFiles = removeFiles
        self.recordErasure = recordErasure
        self.tap = tap
        self.webhooks = webhooks.map(WebhookWriter.init)
        self.queue = queue
        self.ports = ports
        self.rings = RoomRings(limits: rings)
        batches = Array(repeating: [], count: ports.count)
        metrics = PublisherMetrics(factory)
    }

    /// Records that a loop has no listener left in a room.
    package func release(_ room: Room, by loop: Int, generation: UInt64) {
        queue.async { self.interest.release(room, by: loop, generation: generation) }
    }

    /// Runs once everything durable so far has been handed to the loops.
    package func barrier(_ body: @escaping @Sendable () -> Void) { queue.async(body) }

    /// Makes this the publisher of a cluster's node.
    func join(_ port: any ClusterPort) { queue.async { self.port = port } }

    /// Call on `queue`.
    func publish(_ outcomes: [Outcome]) {
        queue.check()
        var checksums: [(number: UInt64, checksum: UInt64)] = []
        for outcome in outcomes {
            position = JournalPosition(frame: outcome.frame, index: 0)
            sender = outcome.sender
            announced = (0, 0)
            for effect in outcome.effects { apply(effect, of: outcome.earlierFrame ?? outcome.frame) }
            if port != nil, outcome.isNumbered { checksums.append((outcome.frame, announced.checksum)) }
            if late.publish(outcome.frame), let answer = outcome.answer { send(answer, to: outcome) }
            progress.advance(to: outcome.frame)
        }
        deliver()
        port?.checksums.record(checksums)
        if let port, outcomes.contains(where: \.endsAccess) { port.tellProgress() }
        if let webhooks, outcomes.contains(where: \.advancesProgress) {
            webhooks.port.advance(to: progress.lastPublished)
        }
        metrics.recordBatch(outcomes.count)
        metrics.recordRings(bytes: rings.byteCount, evicted: rings.evictedCount, rooms: interest.roomCount)
    }

    private func deliver() {
        for loop in batches.indices where !batches[loop].isEmpty {
            var batch: [Delivery] = []
            swap(&batch, &batches[loop])
            ports[loop].deliver(batch)
        }
        for reply in replies { reply.handle(reply.answer) }
        replies = []
    }

    /// Sends an answer; to a command that ends somebody's access, only once all nodes have ended it.
    private func send(_ answer: Outcome.Pending, to outcome: Outcome) {
        guard let port, outcome.endsAccess, outcome.origin == nil else { return send(answer) }
        port.whenEverywhere(outcome.frame) { [self] in
            queue.async {
                self.send(answer)
                self.deliver()
            }
        }
    }

    private func apply(_ effect: Effect, of frame: UInt64) {
        switch effect {
        case .announce(let announcement): announce(announcement, of: frame)
        case .deliver(let event, let room):
            metrics.events.increment()
            broadcast(event, in: [room], isTransient: false)
        case .gained(let user, let standing):
            // Every connected user listens to their inbox, so the inbox's loops are the user's loops.
            for loop in interest.loops(in: .inbox(user)) {
                batches[loop].append(.gained(user, grant(standing, to: loop, recovery: .notRequested)))
            }
        case .lost(let user, let room):
            interest.forEachLoop(in: .inbox(user)) { batches[$0].append(.lost(user, room)) }
        case .guestsLost(let room): interest.forEachLoop(in: room) { batches[$0].append(.guestsLost(room)) }
        case .transient(let rooms, let event, let hiddenFrom):
            metrics.transients.increment()
            broadcast(event, in: rooms, isTransient: true, hiddenFrom: hiddenFrom)
        case .disconnected(let user): interest.forEachLoop(in: .inbox(user)) { batches[$0].append(.disconnected(user)) }
        case .tokensRevoked(let user, let second):
            interest.forEachLoop(in: .inbox(user)) { batches[$0].append(.tokensRevoked(user, before: second)) }
        case .narrowed(let user, let room, let visibleFrom):
            let narrowed = Delivery.narrowed(user, room, visibleFrom: visibleFrom)
            interest.forEachLoop(in: .inbox(user)) { batches[$0].append(narrowed) }
        case .ended(let room):
            // An inbox ends only when its user is offline.
            if case .channel = room { interest.forEachLoop(in: room) { batches[$0].append(.closed(room)) } }
            rings.remove(room)
        case .redacted(let room, let message, let time): rings.redact(message, in: room, at: time)
        case .trimmed(let room, let offset, let firstKept, let time):
            rings.trim(room, upTo: offset, firstKept: firstKept, at: time)
        case .filesRemoved(let ids): removeFiles(ids)
        case .notify(let event, let id):
            webhooks?.notify(event, id: id, of: frame, after: progress.lastPublished(before: frame))
        case .erased(let user, let erased): recordErasure(.began(user, erased))
        case .forgotten(let user, let alias):
            forget(user)
            recordErasure(.ended(user, alias: alias, frame: frame))
        case .discarded(let object): Self.garbage.async { object.free() }
        case .webhooksChanged(let targets): webhooks?.port.configure(targets, at: frame)
        case .pushing: progress.beginPushes(of: frame)
        case .push(let notice): webhooks?.push(notice, of: frame, after: progress.lastPublished(before: frame))
        case .pushed: progress.endPushes(of: frame)
        }
    }

    private func announce(_ announcement: Announcement, of frame: UInt64) {
        metrics.events.increment()
        switch announcement.event.type {
        case .messageNew, .threadReply: metrics.messages.increment()
        default: break
        }
        let data = encode(announcement.event)
        if port != nil {
            let checksum = EventChecksums.checksum(of: data, frame: frame, index: announced.count)
            announced = (announced.count + 1, announced.checksum &+ checksum)
        }
        webhooks?.deliver(announcement, of: frame, after: progress.lastPublished(before: frame)) { data }
        offerToTap(announcement, data)
        let redactedData = announcement.redacted.map { encode($0) }
        for position in announcement.positions {
            let event = encodedEvent(announcement, at: position.offset, data, redactedData)
            // Connections recover it from there.
            rings.append(event, to: position.room)
            deliver(in: position.room, isTransient: false) { event }
        }
    }

    /// - Parameter event: Called only if someone listens in the room.
    private func deliver(
        in room: Room, isTransient: Bool, hiddenFrom: [UserID: Int64] = [:], _ event: () -> EncodedEvent
    ) {
        var shared: PublishedEvent?
        interest.forEachLoop(in: room) { loop in
            var published = shared ?? PublishedEvent(event(), in: room, isTransient: isTransient, sender: sender)
            published.hiddenFrom = hiddenFrom
            shared = published
            batches[loop].append(.published(room, published))
        }
    }

    func offerToTap(_ announcement: Announcement, _ data: [UInt8]) {
        guard let tap else { return }
        tap.publish(announcement, data, at: position)
        position.index += 1
    }

    func encode(_ event: TypedEvent) -> [UInt8] {
        eventWriter.object { event.writeFields(to: &$0) }
        return eventWriter.finish()
    }

    func encodedEvent(
        _ announcement: Announcement, at offset: UInt64, _ data: [UInt8], _ redactedData: [UInt8]?
    ) -> EncodedEvent {
        let message = announcement.event.$message
        return EncodedEvent(
            offset: offset, data: data,
            redacted: redactedData.map { EncodedEvent.Redacted(hidesBefore: announcement.hidesBefore, data: $0) },
            message: message?.value.id, quoted: message?.value.parent?.id)
    }

    /// Publishes an event without an offset, bypassing the rings. Encoded once, and only if someone listens.
    private func broadcast(
        _ event: TypedEvent, in rooms: [Room], isTransient: Bool, hiddenFrom: [UserID: Int64] = [:]
    ) {
        var encoded: EncodedEvent?
        for room in rooms {
            deliver(in: room, isTransient: isTransient, hiddenFrom: hiddenFrom) {
                let event = encoded ?? EncodedEvent(offset: 0, data: encode(event))
                encoded = event
                return event
            }
        }
    }

    private func send(_ answer: Outcome.Pending) {
        switch answer {
        case .command(let address, let answer):
            switch address.recipient {
            case .connection(let connection, let command):
                batches[connection.loop].append(.answered(connection, command: command, answer))
            case .handler(let handle): replies.append((handle, answer))
            case .node(let command): replies.append((command.done, answer))
            }
        case .attach(let request, let standings, let person, let unread, let emojiHash, let settings):
            let loop = request.connection.loop
            let grants = standings.map { standing in
                grant(standing, to: loop, recovery: recovery(of: standing, from: request.positions[standing.room]))
            }
            batches[loop].append(
                .attached(
                    request.connection, command: request.command,
                    Attachment(
                        user: person, unread: unread, emojiHash: emojiHash, settings: settings, grants: grants)))
        case .subscribe(let connection, let command, let request, let standing):
            let loop = connection.loop
            let result = standing.flatMap { standing throws(Rejection) -> RoomGrant in
                let recovery = recovery(of: standing, from: request.recover)
                if case .impossible = recovery, request.rejectUnrecovered {
                    throw Rejection(.unrecoverablePosition)
                }
                return grant(standing, to: loop, recovery: recovery)
            }
            batches[loop].append(.subscribed(connection, command: command, result))
        }
    }

    private func grant(_ standing: RoomStanding, to loop: Int, recovery: RoomGrant.Recovery) -> RoomGrant {
        RoomGrant(
            room: standing.room, position: RoomPosition(offset: standing.offset, epoch: standing.epoch),
            visibleFrom: standing.visibleFrom, generation: interest.grant(standing.room, to: loop),
            recovery: recovery)
    }

    /// Gaps are never silent: returns everything between the two positions, or *impossible*.
    private func recovery(of standing: RoomStanding, from position: RoomPosition?) -> RoomGrant.Recovery {
        guard let position else { return .notRequested }
        guard position.epoch == standing.epoch, position.offset >= standing.since,
            let missed = rings.missed(
                in: standing.room, after: position.offset, upTo: standing.offset, redacting: redact)
        else {
            metrics.recoveriesImpossible.increment()
            return .impossible
        }
        metrics.recoveries.increment()
        return .recovered(missed)
    }

    private func redact(_ event: EncodedEvent, _ part: DeletedPart) -> EncodedEvent? {
        redactedCount += 1
        return event.redacting(part)
    }
}

extension EncodedEvent {
    /// The event without deleted content; it keeps its offset, its type and all other fields.
    ///
    /// - Returns: `nil` for bytes that this server did not write.
    fileprivate func redacting(_ part: DeletedPart) -> EncodedEvent? {
        guard let data = part.redacting(data) else { return nil }
        var hidden: Redacted?
        if let redacted {
            guard let data = part.redacting(redacted.data) else { return nil }
            hidden = Redacted(hidesBefore: redacted.hidesBefore, data: data)
        }
        // A tombstone quotes nothing, and what is redacted need not be redacted again.
        return EncodedEvent(offset: offset, data: data, redacted: hidden, message: part == .quote ? message : nil)
    }
}

extension Result where Failure == Rejection {
    fileprivate func flatMap<New>(_ body: (Success) throws(Rejection) -> New) -> Result<New, Rejection> {
        switch self {
        case .success(let value):
            do throws(Rejection) { return .success(try body(value)) } catch { return .failure(error) }
        case .failure(let rejection): return .failure(rejection)
        }
    }
}
