import ChatModel
import WireProtocol

/// The rooms and listeners of one loop, with the event batches of the current turn.
///
/// A room batches the events of one turn and delivers them with one write per member. To preserve order, the hub
/// flushes a room's batch before it writes anything directly to one of the room's members.
///
/// Confined to its loop.
package final class LoopHub {
    private final class LoopRoom {
        let room: Room
        var json = Audience()
        var protobuf = Audience()
        /// Whether the batch contains transient events. They never share a batch with stored events, so the batch can
        /// be dropped as a whole.
        var isBatchTransient = false
        /// The batch's index in `dirtyRooms`; earlier entries for this room are already flushed.
        var dirtyIndex = 0
        /// The generation of the last grant; returned when the room is released.
        var generation: UInt64 = 0
        /// The number of events published here since the first member entered.
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
    /// Rooms ordered by when their batches began. A room keeps its entry after an early flush.
    private var dirtyRooms: [LoopRoom] = []
    private var listeners: [UserID: [any Listener]] = [:]
    /// Called when a room's last listener on this loop leaves.
    private let release: (Room, _ generation: UInt64) -> Void
    /// Called once for each listener that is detached.
    private let ended: (UserID) -> Void
    /// The number of frames written to members since the start.
    package private(set) var deliveryCount: UInt64 = 0
    /// Deliveries of this turn to charge to their senders.
    private var charges: [(sender: Sender, deliveries: Int)] = []
    /// The number of listeners per room and loop that are free of charge; ordinary channels have no more members.
    package static let freeListeners = 100
    private let appendFrame: AppendFrame
    private let compress: ([UInt8], WireForm) -> [UInt8]?
    /// The size in bytes above which a batch is flushed early.
    private static let batchLimit = 262_144

    /// Appends an envelope to `frames` as a WebSocket frame of the given form.
    package typealias AppendFrame = (_ envelope: [UInt8], WireForm, _ frames: inout [UInt8]) -> Void

    /// - Parameters:
    ///   - compress: Compresses whole frames; returns nil if that does not help. Called at most once per batch and
    ///     form, and only if a member accepts compressed frames.
    package init(
        appendFrame: @escaping AppendFrame,
        compress: @escaping ([UInt8], WireForm) -> [UInt8]? = { _, _ in nil },
        release: @escaping (Room, _ generation: UInt64) -> Void,
        ended: @escaping (UserID) -> Void = { _ in }
    ) {
        self.appendFrame = appendFrame
        self.compress = compress
        self.release = release
        self.ended = ended
    }

    /// Returns the number of members of a room on this loop.
    package func memberCount(of room: Room) -> Int { rooms[room]?.memberCount ?? 0 }

    package var roomCount: Int { rooms.count }
    package var userCount: Int { listeners.count }

    /// Returns figures for up to `limit` rooms after the given one, in ascending order. Scans every room once.
    package func figures(after room: Room?, limit: Int) -> [RoomFigures] {
        var first = FirstElements<Room>(limit)
        for name in rooms.keys where room.map({ $0 < name }) ?? true { first.insert(name) }
        return first.elements.compactMap { name in
            rooms[name].map {
                RoomFigures(room: name, subscribers: $0.memberCount, publications: $0.publicationCount)
            }
        }
    }

    // MARK: Listeners

    package func attach(_ listener: any Listener, as identity: Identity, follows: Bool, to grants: [RoomGrant]) {
        listener.hubState.identity = identity
        listener.hubState.followsChannels = follows
        listeners[identity.user, default: []].append(listener)
        listener.hubState.memberIndices.reserve(grants.count)
        for grant in grants { enter(listener, grant) }
    }

    /// Updates the listener's identity after a token refresh, unless it is not attached or belongs to another user.
    package func renew(_ listener: any Listener, as identity: Identity) {
        if listener.hubState.user == identity.user { listener.hubState.identity = identity }
    }

    package func detach(_ listener: any Listener) {
        guard let user = listener.hubState.user else { return }
        for room in listener.hubState.memberIndices.rooms { leave(listener, room) }
        listeners[user]?.removeAll { $0 === listener }
        if listeners[user]?.isEmpty ?? false { listeners[user] = nil }
        listener.hubState = ListenerState()
        ended(user)
    }

    /// Returns the grants of an attachment whose connection no longer exists.
    package func returnGrants(of attachment: Attachment) {
        returnGrants(attachment.grants)
        ended(attachment.user.id)
    }

    /// Returns grants for a connection that no longer exists. This ends the loop's interest in each room without other
    /// listeners.
    package func returnGrants(_ grants: [RoomGrant]) {
        for grant in grants {
            if let room = rooms[grant.room] {
                room.generation = grant.generation
            } else {
                release(grant.room, grant.generation)
            }
        }
    }

    package func isMember(_ listener: any Listener, of room: Room) -> Bool {
        listener.hubState.memberIndices[room] != nil
    }

    package func enter(_ listener: any Listener, _ grant: RoomGrant) {
        let room = rooms[grant.room] ?? LoopRoom(grant.room)
        rooms[grant.room] = room
        room.generation = grant.generation
        guard listener.hubState.memberIndices[grant.room] == nil else { return }
        // Batched events precede the grant's position, so the new member must not get them.
        flush(room)
        room.change(listener.form) {
            listener.hubState.memberIndices[grant.room] = $0.members.count
            $0.append(listener, visibleFrom: grant.visibleFrom)
        }
    }

    package func leave(_ listener: any Listener, _ name: Room) {
        guard let room = rooms[name], let index = listener.hubState.memberIndices[name] else { return }
        listener.hubState.memberIndices[name] = nil
        flush(room)
        if let moved = room.change(listener.form, { $0.remove(at: index) }) {
            moved.hubState.memberIndices[name] = index
        }
        if room.memberCount == 0 {
            rooms[name] = nil
            release(name, room.generation)
        }
    }

    // MARK: Deliveries

    package func gained(_ user: UserID, _ grant: RoomGrant) {
        var push = Frames(.gained(room: grant.room.name, at: grant.position))
        for listener in listeners[user] ?? []
        where listener.hubState.followsChannels && !isMember(listener, of: grant.room) {
            enter(listener, grant)
            write(push.bytes(listener.form, appendFrame), to: listener)
        }
        if rooms[grant.room] == nil { release(grant.room, grant.generation) }
        rooms[grant.room]?.generation = grant.generation
    }

    package func lost(_ user: UserID, _ room: Room) {
        guard rooms[room] != nil else { return }
        var push = Frames(.lost(room: room.name, .server))
        for listener in listeners[user] ?? [] where isMember(listener, of: room) {
            leave(listener, room)
            write(push.bytes(listener.form, appendFrame), to: listener)
        }
    }

    /// Removes all members from a room.
    package func close(_ name: Room) { removeMembers(from: name) { _ in true } }

    package func removeGuests(from name: Room) { removeMembers(from: name) { $0.isGuest } }

    private func removeMembers(from name: Room, where isIncluded: (UserID) -> Bool) {
        guard let room = rooms[name] else { return }
        var push = Frames(.lost(room: name.name, .server))
        flush(room)
        for (listener, _) in room.json.members + room.protobuf.members
        where listener.hubState.user.map(isIncluded) ?? true {
            leave(listener, name)
            write(push.bytes(listener.form, appendFrame), to: listener)
        }
    }

    /// Disconnects the user's listeners after flushing earlier events.
    package func disconnect(_ user: UserID) { disconnect(user, .forceNoReconnect) { _ in true } }

    /// Disconnects the user's listeners whose token was issued before this second.
    package func disconnect(_ user: UserID, issuedBefore second: Int64) {
        disconnect(user, .invalidToken) { $0.identity?.wasIssued(before: second) ?? false }
    }

    private func disconnect(_ user: UserID, _ code: DisconnectCode, _ isIncluded: (ListenerState) -> Bool) {
        for listener in listeners[user] ?? [] where isIncluded(listener.hubState) {
            flush(roomsOf: listener)
            detach(listener)
            listener.disconnect(code)
        }
    }

    /// Hides older history from the user's listeners. Events already published are not affected.
    package func narrow(_ user: UserID, _ name: Room, visibleFrom: UInt64) {
        guard let room = rooms[name] else { return }
        for listener in listeners[user] ?? [] {
            guard let index = listener.hubState.memberIndices[name] else { continue }
            room.change(listener.form) { $0.narrow(at: index, visibleFrom: visibleFrom) }
        }
    }

    package func publish(_ published: PublishedEvent, in name: Room) {
        guard let room = rooms[name] else { return }
        room.publicationCount += 1
        let listeners = room.memberCount
        deliveryCount += UInt64(listeners)
        if listeners > Self.freeListeners, let sender = published.sender {
            charge(sender, listeners - Self.freeListeners)
        }
        if let hiddenBefore = published.event.redacted?.hidesBefore, room.hasRestrictedMembers {
            return publishByVisibility(published, hiddenBefore: hiddenBefore, in: room)
        }
        guard published.hiddenFrom.isEmpty else { return publishSelectively(published, in: room) }
        if room.isBatchTransient != published.isTransient { flush(room) }
        room.isBatchTransient = published.isTransient
        if room.isBatchEmpty {
            room.dirtyIndex = dirtyRooms.count
            dirtyRooms.append(room)
        }
        if !room.json.members.isEmpty { appendFrame(published.json, .json, &room.json.batch) }
        if !room.protobuf.members.isEmpty {
            appendFrame(protobuf(published.event.whole, in: name), .protobuf, &room.protobuf.batch)
        }
        if max(room.json.batch.count, room.protobuf.batch.count) > Self.batchLimit { flush(room) }
    }

    private func charge(_ sender: Sender, _ deliveries: Int) {
        // Consecutive events usually have the same sender.
        if let last = charges.indices.last, charges[last].sender == sender {
            charges[last].deliveries += deliveries
        } else {
            charges.append((sender, deliveries))
        }
    }

    /// Removes and returns the charges for deliveries to large rooms since the last call.
    package func drainCharges() -> [(sender: Sender, deliveries: Int)] {
        guard !charges.isEmpty else { return [] }
        defer { charges = [] }
        return charges
    }

    /// Immediately writes a transient event to each member from whom it is not hidden.
    private func publishSelectively(_ published: PublishedEvent, in room: LoopRoom) {
        flush(room)
        for (audience, form) in [(room.json, WireForm.json), (room.protobuf, .protobuf)] {
            guard !audience.members.isEmpty else { continue }
            var frames: [UInt8] = []
            appendFrame(
                form == .json ? published.json : protobuf(published.event.whole, in: room.room), form, &frames)
            for (listener, _) in audience.members {
                if let user = listener.hubState.user, published.hiddenFrom[user] != nil { continue }
                listener.writeTransient(frames)
            }
        }
    }

    /// Immediately writes the event to each member, in full or redacted depending on the member's visible history.
    private func publishByVisibility(_ published: PublishedEvent, hiddenBefore: UInt64, in room: LoopRoom) {
        flush(room)
        let event = published.event
        write(
            to: room.json, .json, published.json, or: published.redactedJSON ?? published.json,
            hiddenBefore: hiddenBefore)
        guard !room.protobuf.members.isEmpty else { return }
        write(
            to: room.protobuf, .protobuf, protobuf(event.whole, in: room.room),
            or: protobuf(event.withoutHidden, in: room.room), hiddenBefore: hiddenBefore)
    }

    private func write(
        to audience: Audience, _ form: WireForm, _ whole: [UInt8], or idsOnly: [UInt8], hiddenBefore: UInt64
    ) {
        guard !audience.members.isEmpty else { return }
        func frame(_ envelope: [UInt8]) -> Compressible {
            var frame: [UInt8] = []
            appendFrame(envelope, form, &frame)
            return Compressible(frame, form)
        }
        var whole = frame(whole)
        var idsOnly = frame(idsOnly)
        for (listener, visibleFrom) in audience.members {
            listener.write(
                visibleFrom > hiddenBefore
                    ? idsOnly.frames(for: listener, compress) : whole.frames(for: listener, compress))
        }
    }

    /// Encodes an event as Protobuf. Each loop does this itself; JSON, which almost all clients use, is encoded once
    /// for all loops.
    private func protobuf(_ publication: Publication, in room: Room) -> [UInt8] {
        ServerEnvelope.publication(room: room.name, publication).encoded(as: .protobuf)
    }

    /// Writes frames to one listener after flushing the batches of its rooms.
    package func write(_ frames: [UInt8], to listener: any Listener) {
        flush(roomsOf: listener)
        listener.write(frames)
    }

    /// Flushes the batches of all the listener's rooms.
    package func flush(roomsOf listener: any Listener) {
        guard !dirtyRooms.isEmpty else { return }
        let indices = listener.hubState.memberIndices
        if indices.count < dirtyRooms.count {
            let dirty = indices.rooms.compactMap { rooms[$0] }.filter { !$0.isBatchEmpty }
            for room in dirty.sorted(by: { $0.dirtyIndex < $1.dirtyIndex }) { flush(room) }
        } else {
            for (index, room) in dirtyRooms.enumerated() where room.dirtyIndex == index && indices[room.room] != nil {
                flush(room)
            }
        }
    }

    /// Flushes all batches; called at the end of a turn.
    package func flush() {
        guard !dirtyRooms.isEmpty else { return }
        for (index, room) in dirtyRooms.enumerated() where room.dirtyIndex == index { flush(room) }
        dirtyRooms.removeAll(keepingCapacity: true)
    }

    private func flush(_ room: LoopRoom) {
        if !room.json.batch.isEmpty {
            deliver(room.json, .json, isTransient: room.isBatchTransient)
            room.json.clearBatch()
        }
        if !room.protobuf.batch.isEmpty {
            deliver(room.protobuf, .protobuf, isTransient: room.isBatchTransient)
            room.protobuf.clearBatch()
        }
    }

    /// Delivers a batch. The caller empties it afterwards: a second reference would force a new buffer each time.
    private func deliver(_ audience: Audience, _ form: WireForm, isTransient: Bool) {
        let compressed = audience.compressedMembers > 0 ? compress(audience.batch, form) : nil
        for (listener, _) in audience.members {
            if let compressed, listener.acceptsCompression {
                send(compressed, to: listener, isTransient: isTransient)
            } else {
                send(audience.batch, to: listener, isTransient: isTransient)
            }
        }
    }

    private func send(_ frames: [UInt8], to listener: any Listener, isTransient: Bool) {
        if isTransient { listener.writeTransient(frames) } else { listener.write(frames) }
    }
}
