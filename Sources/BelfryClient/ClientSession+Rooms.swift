import ChatModel
import WireProtocol

/// Messages from the server, and their effect on each room.
extension ClientSession {
    mutating func receive(_ message: ServerMessage, now: Int64) -> [Action] {
        switch phase {
        case .idle, .waiting, .fetchingToken, .opening: return []
        case .connecting, .live: break
        }
        switch message {
        case .ping:
            pinged(now: now)
            if case .live(let live) = phase, live.wantsPong {
                actions.append(.send(ClientEnvelope(id: 0, command: .pong).encoded()))
            }
        case .reply(let id, let reply): answered(id, reply, now: now)
        case .push(_, .disconnected(let code, let reason)): closed(UInt16(clamping: code), reason)
        case .push(let room, let push): if isLive { pushed(push, in: room, now: now) }
        }
        return drainActions()
    }

    /// Handles a frame that cannot be decoded.
    mutating func receiveGarbage() -> [Action] {
        if case .idle = phase { return [] }
        retry(.lost("the server does not speak the protocol"))
        return drainActions()
    }

    private mutating func pushed(_ push: ServerMessage.Push, in room: String, now: Int64) {
        switch push {
        case .publication(let publication): deliver(publication, in: room)
        case .subscribed(let position):
            rooms.subscribe(room, at: position, origin: .server)
            actions.append(.subscribed(room: room, recovered: false, wasRecovering: false))
        case .unsubscribed(let code, _): unsubscribed(room, code: code, now: now)
        case .disconnected, .other: break
        }
    }

    private mutating func deliver(_ publication: ServerMessage.Publication, in room: String) {
        switch rooms.accept(room, offset: publication.offset) {
        case .deliver:
            actions.append(.publication(room: room, offset: publication.offset, data: publication.data))
        case .drop: break
        case .gap(let expected):
            actions.append(.gap(room: room, expected: expected, received: publication.offset))
            retry(.gap(room: room))
        }
    }

    /// Codes below 2500 are final. From 2500 on, the client resubscribes. Centrifuge client protocol, unsubscribe
    /// codes.
    private mutating func unsubscribed(_ room: String, code: UInt64, now: Int64) {
        guard let known = rooms[room] else { return }
        if code >= 2500, known.origin == .client {
            return subscribe(room, for: nil, now: now)
        }
        rooms.remove(room)
        actions.append(.unsubscribed(room: room))
    }

    // MARK: Subscriptions of the connect reply

    /// Applies the subscriptions of a connect reply, and ends those to server-side rooms that it does not list.
    mutating func enterRooms(_ subs: [String: ServerMessage.Subscribed], names: [String], now: Int64) {
        for name in rooms.names(of: .server) where subs[name] == nil {
            rooms.remove(name)
            actions.append(.unsubscribed(room: name))
        }
        for name in names {
            if let sub = subs[name] { enter(name, sub, origin: .server) }
        }
        subscribeAgain(now: now)
    }

    mutating func enter(_ room: String, _ sub: ServerMessage.Subscribed, origin: RoomTable.Origin) {
        let before = rooms[room]?.position
        let missed = sub.recovered ? before.flatMap { Self.missedPublications(sub, after: $0) } : nil
        // For a room that did not fit into the connect command, equal positions mean that nothing was missed.
        let isRecovered = missed != nil || (before == sub.position && !sub.wasRecovering)
        rooms.subscribe(room, at: sub.position, origin: origin)
        actions.append(.subscribed(room: room, recovered: isRecovered, wasRecovering: before != nil))
        for publication in missed ?? (before == nil ? sub.publications : []) {
            actions.append(.publication(room: room, offset: publication.offset, data: publication.data))
        }
    }

    /// Returns the recovered publications that were not received before.
    ///
    /// - Returns: Nil when they do not lead from the client's position to the new one without gaps, so that what was
    ///   missed is unknown.
    private static func missedPublications(
        _ sub: ServerMessage.Subscribed, after before: RoomPosition
    ) -> [ServerMessage.Publication]? {
        guard sub.position.epoch == before.epoch else { return nil }
        var offset = before.offset
        var missed: [ServerMessage.Publication] = []
        for publication in sub.publications where publication.offset > offset {
            guard publication.offset - offset == 1 else { return nil }
            offset = publication.offset
            missed.append(publication)
        }
        return offset == sub.position.offset ? missed : nil
    }

    // MARK: Client-side subscriptions

    mutating func subscribeAgain(now: Int64) {
        for name in rooms.names(of: .client) where rooms[name]?.isSubscribed == false {
            subscribe(name, for: nil, now: now)
        }
    }

    mutating func subscribe(_ room: String, for call: CallID?, now: Int64) {
        let request = SubscribeRequest(channel: room, recover: rooms[room]?.position)
        send(.subscribe(request), for: .subscribe(room: room, call: call), now: now)
    }

    mutating func subscribeRefused(_ room: String, _ call: CallID?, _ error: BelfryError, now: Int64) {
        // The server subscribed the connection in the meantime.
        if error.code == ErrorCode.alreadySubscribed.rawValue, rooms[room]?.isSubscribed == true {
            if let call { actions.append(.complete(call, .success([]))) }
            return
        }
        if let call {
            rooms.remove(room)
            actions.append(.complete(call, .failure(error)))
        } else if error.isTemporary, case .live(var live) = phase {
            live.subscribeAgainAt = now + settings.retryMilliseconds
            phase = .live(live)
        } else if rooms[room] != nil {
            rooms.remove(room)
            actions.append(.unsubscribed(room: room))
        }
    }
}
