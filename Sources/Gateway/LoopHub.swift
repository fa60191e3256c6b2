import ChatModel
import WireProtocol

/// One connection as the rooms of its loop know it.
package protocol Listener: AnyObject {
    /// Takes whole WebSocket frames. Never closes the connection inside the call.
    func write(_ frames: [UInt8])
    /// The same of what is not worth waiting for: dropped when the peer is slow.
    func writeTransient(_ frames: [UInt8])
    /// It is not to hear anything any more: it says why to its peer and ends.
    func oust(_ code: DisconnectCode)
    /// The rooms it stands in; kept by the hub.
    var seats: Seats { get set }
    /// Whether it takes compressed frames; never changes while it is attached.
    var takesCompressed: Bool { get }
    /// The form in which it hears; never changes while it is attached.
    var form: WireForm { get }
}

extension Listener {
    package var takesCompressed: Bool { false }
    package var form: WireForm { .json }
}

/// A listener's places in rooms, kept by the hub.
package struct Seats {
    /// By the token that it came with, or last refreshed.
    var identity: Identity?
    var user: UserID? { identity?.user }
    /// Whether it enters rooms by itself as its user joins channels.
    var follows = false
    /// Its index among the room's members of its form.
    var places: [Room: Int] = [:]

    package init() {}
    package var rooms: Dictionary<Room, Int>.Keys { places.keys }
}

/// Who listens to what on one loop, and the batches of the turn.
///
/// Events of one turn gather in their room and leave as one write per member. Order is kept per room, and between
/// rooms and direct writes: a room's batch leaves before anything is written directly to one of its members.
///
/// Confined to its loop's queue.
package final class LoopHub {
    private final class LoopRoom {
        let room: Room
        var json = Audience()
        var protobuf = Audience()
        /// A batch is of one sort, so that it can be dropped whole.
        var isBatchTransient = false
        /// Where among the dirty rooms the batch began; earlier entries of this room have been flushed.
        var dirtyPlace = 0
        /// The last grant's; given back with the room.
        var generation: UInt64 = 0
        /// What was told here since the first member came.
        var publicationCount: UInt64 = 0

        init(_ room: Room) { self.room = room }

        var memberCount: Int { json.members.count + protobuf.members.count }
        var hasRestrictedMembers: Bool { json.restrictedMembers + protobuf.restrictedMembers > 0 }
        var isBatchEmpty: Bool { json.batch.isEmpty && protobuf.batch.isEmpty }

        func change<Result>(_ form: WireForm, _ body: (inout Audience) -> Result) -> Result {
            switch form {
            case .json: body(&json)
            case .protobuf: body(&protobuf)
            }
        }
    }

    private var rooms: [Room: LoopRoom] = [:]
    /// In the order in which their batches began; a room that was flushed meanwhile stays where it was.
    private var dirtyRooms: [LoopRoom] = []
    private var listeners: [UserID: [any Listener]] = [:]
    /// Told when a room has no listener left on this loop.
    private let release: (Room, _ generation: UInt64) -> Void
    /// Told of each listener that goes, once.
    private let ended: (UserID) -> Void
    /// Frames written to members since the start.
    package private(set) var deliveryCount: UInt64 = 0
    private let frame: ([UInt8], WireForm) -> [UInt8]
    private let compress: ([UInt8], WireForm) -> [UInt8]?
    /// A batch leaves early when it has grown to this many bytes.
    private static let batchLimit = 262_144

    /// - Parameters:
    ///   - frame: Wraps an envelope's bytes in the WebSocket frame of their form.
    ///   - compress: Gives whole frames of a form as those have them who take compressed ones, nil when that is no other;
    ///     asked once per batch, and only when someone is there who takes it.
    package init(
        frame: @escaping ([UInt8], WireForm) -> [UInt8],
        compress: @escaping ([UInt8], WireForm) -> [UInt8]? = { _, _ in nil },
        release: @escaping (Room, _ generation: UInt64) -> Void,
        ended: @escaping (UserID) -> Void = { _ in }
    ) {
        self.frame = frame
        self.compress = compress
        self.release = release
        self.ended = ended
    }

    package var roomCount: Int { rooms.count }
    package var userCount: Int { listeners.count }

    /// The first rooms behind one, in the order of rooms. Looks at every room once.
    package func figures(after room: Room?, limit: Int) -> [RoomFigures] {
        var first = FirstOnes<Room>(limit)
        for name in rooms.keys where room.map({ $0 < name }) ?? true { first.offer(name) }
        return first.elements.compactMap { name in
            rooms[name].map {
                RoomFigures(room: name, subscribers: $0.memberCount, publications: $0.publicationCount)
            }
        }
    }

    // MARK: Listeners

    package func attach(_ listener: any Listener, as identity: Identity, follows: Bool, to grants: [RoomGrant]) {
        listener.seats.identity = identity
        listener.seats.follows = follows
        listeners[identity.user, default: []].append(listener)
        for grant in grants { enter(listener, grant) }
    }

    /// The listener's user has shown another token. Nothing happens to one that is not attached, or as someone else.
    package func renew(_ listener: any Listener, as identity: Identity) {
        if listener.seats.user == identity.user { listener.seats.identity = identity }
    }

    package func detach(_ listener: any Listener) {
        guard let user = listener.seats.user else { return }
        for room in Array(listener.seats.rooms) { leave(listener, room) }
        listeners[user]?.removeAll { $0 === listener }
        if listeners[user]?.isEmpty ?? false { listeners[user] = nil }
        listener.seats = Seats()
        ended(user)
    }

    /// What was to be attached, for a connection that is gone.
    package func decline(_ attachment: Attachment) {
        decline(attachment.grants)
        ended(attachment.user.id)
    }

    /// Grants for a connection that is gone: the loop's interest is given back where no one else holds it.
    package func decline(_ grants: [RoomGrant]) {
        for grant in grants {
            if let room = rooms[grant.room] {
                room.generation = grant.generation
            } else {
                release(grant.room, grant.generation)
            }
        }
    }

    package func isMember(_ listener: any Listener, of room: Room) -> Bool { listener.seats.places[room] != nil }

    package func enter(_ listener: any Listener, _ grant: RoomGrant) {
        let room = rooms[grant.room] ?? LoopRoom(grant.room)
        rooms[grant.room] = room
        room.generation = grant.generation
        guard listener.seats.places[grant.room] == nil else { return }
        // What is batched already lies before the grant's position.
        flush(room)
        room.change(listener.form) {
            listener.seats.places[grant.room] = $0.members.count
            $0.enter(listener, visibleFrom: grant.visibleFrom)
        }
    }

    package func leave(_ listener: any Listener, _ name: Room) {
        guard let room = rooms[name], let place = listener.seats.places.removeValue(forKey: name) else { return }
        flush(room)
        if let moved = room.change(listener.form, { $0.leave(place) }) { moved.seats.places[name] = place }
        if room.memberCount == 0 {
            rooms[name] = nil
            release(name, room.generation)
        }
    }

    // MARK: Deliveries

    package func gained(_ user: UserID, _ grant: RoomGrant) {
        var push = Frames(.gained(room: grant.room.name, at: grant.position))
        for listener in listeners[user] ?? [] where listener.seats.follows && !isMember(listener, of: grant.room) {
            enter(listener, grant)
            write(push.bytes(listener.form, frame), to: listener)
        }
        if rooms[grant.room] == nil { release(grant.room, grant.generation) }
        rooms[grant.room]?.generation = grant.generation
    }

    package func lost(_ user: UserID, _ room: Room) {
        guard rooms[room] != nil else { return }
        var push = Frames(.lost(room: room.name, .server))
        for listener in listeners[user] ?? [] where isMember(listener, of: room) {
            leave(listener, room)
            write(push.bytes(listener.form, frame), to: listener)
        }
    }

    /// Everybody loses the room.
    package func close(_ name: Room) {
        guard let room = rooms[name] else { return }
        var push = Frames(.lost(room: name.name, .server))
        flush(room)
        for (listener, _) in room.json.members + room.protobuf.members {
            leave(listener, name)
            write(push.bytes(listener.form, frame), to: listener)
        }
    }

    /// What was published before still reaches the user's listeners; nothing after.
    package func oust(_ user: UserID) { oust(user, .forceNoReconnect) { _ in true } }

    /// The same of those listeners alone that came with a token issued before this second.
    package func oust(_ user: UserID, issuedBefore second: Int64) {
        oust(user, .invalidToken) { $0.identity?.isIssued(before: second) ?? false }
    }

    private func oust(_ user: UserID, _ code: DisconnectCode, _ isMeant: (Seats) -> Bool) {
        for listener in listeners[user] ?? [] where isMeant(listener.seats) {
            flush(roomsOf: listener)
            detach(listener)
            listener.oust(code)
        }
    }

    /// What has been published already left in the form that was right then.
    package func narrow(_ user: UserID, _ name: Room, visibleFrom: UInt64) {
        guard let room = rooms[name] else { return }
        for listener in listeners[user] ?? [] {
            guard let place = listener.seats.places[name] else { continue }
            room.change(listener.form) { $0.narrow(place, visibleFrom: visibleFrom) }
        }
    }

    package func publish(_ published: PublishedFrame, in name: Room) {
        guard let room = rooms[name] else { return }
        room.publicationCount += 1
        deliveryCount += UInt64(room.memberCount)
        if let redacted = published.redacted, room.hasRestrictedMembers {
            return publish(published, or: redacted, in: room)
        }
        if room.isBatchTransient != published.isTransient { flush(room) }
        room.isBatchTransient = published.isTransient
        if room.isBatchEmpty {
            room.dirtyPlace = dirtyRooms.count
            dirtyRooms.append(room)
        }
        if !room.json.members.isEmpty { room.json.batch += published.bytes }
        if !room.protobuf.members.isEmpty {
            room.protobuf.batch += protobufFrame(published.publication.whole, in: name)
        }
        if max(room.json.batch.count, room.protobuf.batch.count) > Self.batchLimit { flush(room) }
    }

    /// To each member the form of the event that it may see, at once.
    private func publish(_ published: PublishedFrame, or redacted: Publication.Redacted, in room: LoopRoom) {
        flush(room)
        write(to: room.json, .json, published.bytes, or: redacted.bytes, hiddenBefore: redacted.hidesBefore)
        guard !room.protobuf.members.isEmpty else { return }
        write(
            to: room.protobuf, .protobuf,
            protobufFrame(published.publication.whole, in: room.room),
            or: protobufFrame(published.publication.withoutHidden, in: room.room),
            hiddenBefore: redacted.hidesBefore)
    }

    private func write(
        to audience: Audience, _ form: WireForm, _ whole: [UInt8], or idsOnly: [UInt8], hiddenBefore hidesBefore: UInt64
    ) {
        var whole = Compressible(whole, form)
        var idsOnly = Compressible(idsOnly, form)
        for (listener, visibleFrom) in audience.members {
            listener.write(
                visibleFrom > hidesBefore
                    ? idsOnly.frames(for: listener, compress) : whole.frames(for: listener, compress))
        }
    }

    /// Made on each loop that has someone to hear it, where the JSON form is made once for all: nearly all hear that one.
    private func protobufFrame(_ publication: EncodedPublication, in room: Room) -> [UInt8] {
        frame(ServerEnvelope.publication(room: room.name, publication).encoded(as: .protobuf), .protobuf)
    }

    /// Writes frames to one listener, behind everything that its rooms have gathered.
    package func write(_ frames: [UInt8], to listener: any Listener) {
        flush(roomsOf: listener)
        listener.write(frames)
    }

    /// Lets go of everything that a listener's rooms have gathered.
    package func flush(roomsOf listener: any Listener) {
        guard !dirtyRooms.isEmpty else { return }
        let places = listener.seats.places
        if places.count < dirtyRooms.count {
            let dirty = places.keys.compactMap { rooms[$0] }.filter { !$0.isBatchEmpty }
            for room in dirty.sorted(by: { $0.dirtyPlace < $1.dirtyPlace }) { flush(room) }
        } else {
            for (place, room) in dirtyRooms.enumerated() where room.dirtyPlace == place && places[room.room] != nil {
                flush(room)
            }
        }
    }

    /// The end of a turn: every gathered batch leaves.
    package func flush() {
        guard !dirtyRooms.isEmpty else { return }
        for (place, room) in dirtyRooms.enumerated() where room.dirtyPlace == place { flush(room) }
        dirtyRooms.removeAll(keepingCapacity: true)
    }

    private func flush(_ room: LoopRoom) {
        if !room.json.batch.isEmpty {
            deliver(room.json, .json, isTransient: room.isBatchTransient)
            room.json.emptyBatch()
        }
        if !room.protobuf.batch.isEmpty {
            deliver(room.protobuf, .protobuf, isTransient: room.isBatchTransient)
            room.protobuf.emptyBatch()
        }
    }

    /// The caller empties the batch when this has returned: with a second name for it, that would cost a new buffer each
    /// time.
    private func deliver(_ audience: Audience, _ form: WireForm, isTransient: Bool) {
        let compressed = audience.compressedMembers > 0 ? compress(audience.batch, form) : nil
        for (listener, _) in audience.members {
            if let compressed, listener.takesCompressed {
                send(compressed, to: listener, isTransient: isTransient)
            } else {
                send(audience.batch, to: listener, isTransient: isTransient)
            }
        }
    }

    private func send(_ frames: [UInt8], to listener: any Listener, isTransient: Bool) {
        if isTransient { listener.writeTransient(frames) } else { listener.write(frames) }
    }

    /// The same frames for those who take them compressed, once someone does, and for the others.
    private struct Compressible {
        let plain: [UInt8]
        let form: WireForm
        /// Nil before it was asked for.
        private var compressed: [UInt8]??

        init(_ plain: [UInt8], _ form: WireForm) {
            self.plain = plain
            self.form = form
        }

        mutating func frames(for listener: any Listener, _ compress: ([UInt8], WireForm) -> [UInt8]?) -> [UInt8] {
            guard listener.takesCompressed else { return plain }
            let made = compressed ?? compress(plain, form)
            compressed = .some(made)
            return made ?? plain
        }
    }

    /// One envelope as a frame of each form, made when the first listener of that form is to have it.
    private struct Frames {
        private let envelope: ServerEnvelope
        private var made: [WireForm: [UInt8]] = [:]

        init(_ envelope: ServerEnvelope) { self.envelope = envelope }

        mutating func bytes(_ form: WireForm, _ frame: ([UInt8], WireForm) -> [UInt8]) -> [UInt8] {
            if let bytes = made[form] { return bytes }
            let bytes = frame(envelope.encoded(as: form), form)
            made[form] = bytes
            return bytes
        }
    }
}
