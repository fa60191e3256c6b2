import ChatDomain
import ChatModel
import DequeModule
import Dispatch
import Gateway
import Metrics
import WebSocketCodec
import WireProtocol

/// An event loop, as the publisher sees it.
package protocol DeliveryPort: AnyObject, Sendable {
    /// Hands a batch to the loop in one post; batches arrive in the order of the calls.
    func deliver(_ batch: [Delivery])

    /// Whether more commands are likely to arrive at once; asked when a command arrives. If so, the loop calls
    /// `ChatEngine.wake` after the last of them, and all of them cost one wake.
    func gathersCommands() -> Bool

    /// Deliveries handed over that have not reached their connections yet. Call from any queue.
    var waitingCount: Int { get }
}

extension DeliveryPort {
    package func gathersCommands() -> Bool { false }
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

    let queue: DispatchQueue
    private let ports: [any DeliveryPort]
    var rings: RoomRings
    private var interest = RoomInterest()
    private var batches: [[Delivery]]
    let encoder = WireEncoder()
    private var metrics: PublisherMetrics
    let webhooks: WebhookWriter?
    let tap: EventTap?
    private let removeFiles: @Sendable ([FileID]) -> Void
    /// Events kept at start-up and not encoded yet, oldest first; includes events that have since been evicted.
    var unworded: Deque<(room: Room, offset: UInt64)> = []
    /// Events from before the restart that were encoded for the rings.
    package var wordedAtStart = 0
    /// Events that lost deleted content because somebody recovered them.
    package private(set) var redactedCount = 0
    var toldFrames = ToldFrames()
    /// Who pays for the deliveries of the current outcome.
    private var sender: Sender?
    /// The journal position of the next event.
    var position = (frame: UInt64(0), index: UInt32(0))

    package init(
        queue: DispatchQueue, ports: [any DeliveryPort], rings: RoomRings.Limits, metrics factory: any MetricsFactory,
        webhooks: (any WebhookPort)? = nil, tap: EventTap? = nil,
        removeFiles: @escaping @Sendable ([FileID]) -> Void = { _ in }
    ) {
        self.removeFiles = removeFiles
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
    package func barrier(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Call on `queue`.
    func publish(_ outcomes: [Outcome]) {
        dispatchPrecondition(condition: .onQueue(queue))
        for outcome in outcomes {
            position = (outcome.frame, 0)
            sender = outcome.sender
            for effect in outcome.effects { take(effect, of: outcome.earlierFrame ?? outcome.frame) }
            if let answer = outcome.answer { take(answer) }
            toldFrames.passed(outcome.frame)
        }
        for (loop, batch) in batches.enumerated() where !batch.isEmpty {
            ports[loop].deliver(batch)
            batches[loop] = []
        }
        if let webhooks, outcomes.contains(where: \.movesOn) { webhooks.port.passed(toldFrames.told) }
        metrics.batch(outcomes.count)
        metrics.rings(bytes: rings.byteCount, evicted: rings.evictedCount, rooms: interest.roomCount)
    }

    private func take(_ effect: Effect, of frame: UInt64) {
        switch effect {
        case .announce(let announcement): announce(announcement, of: frame)
        case .deliver(let event, let room):
            metrics.events.increment()
            tell(event, in: [room], isTransient: false)
        case .gained(let user, let standing):
            // Every connected user listens to their inbox, so the inbox's loops are the user's loops.
            for loop in interest.loops(in: .inbox(user)) {
                batches[loop].append(.gained(user, grant(standing, to: loop, recovery: .notAsked)))
            }
        case .lost(let user, let room):
            interest.forEachLoop(in: .inbox(user)) { batches[$0].append(.lost(user, room)) }
        case .guestsLost(let room): interest.forEachLoop(in: room) { batches[$0].append(.guestsLost(room)) }
        case .transient(let rooms, let event):
            metrics.transients.increment()
            tell(event, in: rooms, isTransient: true)
        case .ousted(let user): interest.forEachLoop(in: .inbox(user)) { batches[$0].append(.ousted(user)) }
        case .tokensRevoked(let user, let second):
            interest.forEachLoop(in: .inbox(user)) { batches[$0].append(.tokensRevoked(user, before: second)) }
        case .narrowed(let user, let room, let visibleFrom):
            let narrowed = Delivery.narrowed(user, room, visibleFrom: visibleFrom)
            interest.forEachLoop(in: .inbox(user)) { batches[$0].append(narrowed) }
        case .ended(let room):
            // An inbox ends only when its user is offline.
            if case .channel = room { interest.forEachLoop(in: room) { batches[$0].append(.closed(room)) } }
            rings.forget(room)
        case .redacted(let room, let message, let time): rings.redact(message, in: room, at: time)
        case .filesRemoved(let ids): removeFiles(ids)
        case .discarded(let remains): Self.garbage.async { remains.free() }
        case .webhooksChanged(let targets): webhooks?.port.configure(targets, at: frame)
        case .pushing: toldFrames.begin(frame)
        case .push(let notice): webhooks?.push(notice, of: frame, after: toldFrames.told(before: frame))
        case .pushed: toldFrames.end(frame)
        }
    }

    private func announce(_ announcement: Announcement, of frame: UInt64) {
        metrics.events.increment()
        if [.messageNew, .threadReply].contains(announcement.event.type) { metrics.messages.increment() }
        let data = encoder.encode(announcement.event)
        webhooks?.tell(announcement, of: frame, after: toldFrames.told(before: frame)) { data }
        tell(announcement, data)
        for (room, publication) in keep(announcement, data) {
            let loops = interest.loops(in: room)
            guard !loops.isEmpty else { continue }
            let frame = PublishedFrame(
                bytes: push(publication.whole, in: room), of: publication,
                redacted: publication.redacted.map {
                    Publication.Redacted(
                        hidesBefore: $0.hidesBefore, bytes: push(publication.withoutHidden, in: room))
                }, sender: sender)
            for loop in loops { batches[loop].append(.published(room, frame)) }
        }
    }

    func tell(_ announcement: Announcement, _ data: [UInt8]) {
        guard let tap else { return }
        tap.tell(announcement, data, at: TappedEvent.Position(frame: position.frame, index: position.index))
        position.index += 1
    }

    /// Adds an event to the rings of its rooms, from which connections recover it.
    private func keep(_ announcement: Announcement, _ data: [UInt8]) -> [(room: Room, publication: Publication)] {
        let redactedData = announcement.redacted.map { encoder.encode($0) }
        return announcement.positions.map { position in
            let publication = publication(announcement, at: position.offset, data, redactedData)
            rings.append(publication, to: position.room)
            return (position.room, publication)
        }
    }

    func publication(
        _ announcement: Announcement, at offset: UInt64, _ data: [UInt8], _ redactedData: [UInt8]?
    ) -> Publication {
        let redacted = redactedData.map {
            Publication.Redacted(
                hidesBefore: announcement.hidesBefore, bytes: EncodedPublication(offset: offset, data: $0).json)
        }
        let message = announcement.event.$message
        return Publication(
            offset: offset, bytes: EncodedPublication(offset: offset, data: data).json, redacted: redacted,
            message: message?.value.id, quoted: message?.value.parent?.id)
    }

    /// Publishes an event without an offset, bypassing the rings. Encoded once, and only if someone listens.
    private func tell(_ event: TypedEvent, in rooms: [Room], isTransient: Bool) {
        var encoded: EncodedPublication?
        for room in rooms {
            let loops = interest.loops(in: room)
            guard !loops.isEmpty else { continue }
            let event = encoded ?? EncodedPublication(data: encoder.encode(event))
            encoded = event
            let frame = PublishedFrame(
                bytes: push(event, in: room), of: Publication(offset: 0, bytes: event.json), isTransient: isTransient,
                sender: sender)
            for loop in loops { batches[loop].append(.published(room, frame)) }
        }
    }

    private func push(_ publication: EncodedPublication, in room: Room) -> [UInt8] {
        FrameEncoder.text(ServerEnvelope.publication(room: room.name, publication).encoded(as: .json))
    }

    private func take(_ answer: Outcome.Pending) {
        switch answer {
        case .command(let address, let answer):
            batches[address.connection.loop].append(.answered(address, answer))
        case .attach(let request, let standings, let person, let unread, let emojiHash, let settings):
            let loop = request.address.connection.loop
            let grants = standings.map { standing in
                grant(standing, to: loop, recovery: recovery(of: standing, from: request.positions[standing.room]))
            }
            batches[loop].append(
                .attached(
                    request.address,
                    Attachment(
                        user: person, unread: unread, emojiHash: emojiHash, settings: settings, grants: grants)))
        case .subscribe(let address, let request, let standing):
            let loop = address.connection.loop
            let result = standing.flatMap { standing throws(Rejection) -> RoomGrant in
                let recovery = recovery(of: standing, from: request.recover)
                if case .impossible = recovery, request.rejectUnrecovered {
                    throw Rejection(.unrecoverablePosition)
                }
                return grant(standing, to: loop, recovery: recovery)
            }
            batches[loop].append(.subscribed(address, result))
        }
    }

    private func grant(_ standing: RoomStanding, to loop: Int, recovery: RoomGrant.Recovery) -> RoomGrant {
        RoomGrant(
            room: standing.room, position: StreamPosition(offset: standing.offset, epoch: standing.epoch),
            visibleFrom: standing.visibleFrom, generation: interest.grant(standing.room, to: loop),
            recovery: recovery)
    }

    /// Gaps are never silent: returns everything between the two positions, or *impossible*.
    private func recovery(of standing: RoomStanding, from position: StreamPosition?) -> RoomGrant.Recovery {
        guard let position else { return .notAsked }
        guard position.epoch == standing.epoch, position.offset >= standing.since,
            let missed = rings.missed(
                in: standing.room, after: position.offset, upTo: standing.offset, redacting: redacted)
        else {
            metrics.recoveriesImpossible.increment()
            return .impossible
        }
        metrics.recoveries.increment()
        return .recovered(missed)
    }

    private func redacted(_ publication: Publication, _ part: DeletedPart) -> Publication? {
        redactedCount += 1
        return publication.redacting(part)
    }
}

extension Publication {
    /// The event without deleted content; it keeps its offset, its type and all other fields.
    ///
    /// - Returns: `nil` for bytes that this server did not write.
    fileprivate func redacting(_ part: DeletedPart) -> Publication? {
        func json(_ form: EncodedPublication) -> [UInt8]? {
            part.redacting(form.data).map { EncodedPublication(offset: offset, data: $0).json }
        }
        guard let bytes = json(whole) else { return nil }
        var hidden: Redacted?
        if let redacted {
            guard let bytes = json(withoutHidden) else { return nil }
            hidden = Redacted(hidesBefore: redacted.hidesBefore, bytes: bytes)
        }
        // A tombstone quotes nothing, and what is redacted need not be redacted again.
        return Publication(offset: offset, bytes: bytes, redacted: hidden, message: part == .quote ? message : nil)
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
