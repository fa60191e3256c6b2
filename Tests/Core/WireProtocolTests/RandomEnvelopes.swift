import ChatModel
import TestSupport

@testable import WireProtocol

/// Random messages of a server, with the values that a client should decode in either form.
extension RandomJSON {
    private mutating func subscription() -> (SubscribeResult, ServerMessage.Subscribed) {
        var written: [Publication] = []
        var read: [ServerMessage.Publication] = []
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let (offset, data) = (random.next(), Array(object(depth: 2).utf8))
            written.append(Publication(offset: offset, data: data))
            read.append(ServerMessage.Publication(offset: offset, data: data))
        }
        let position = RoomPosition(offset: random.next(), epoch: random.text(upTo: 4))
        let (wasRecovering, recovered) = (random.chance(2), random.chance(2))
        return (
            SubscribeResult(
                position: position, wasRecovering: wasRecovering, recovered: recovered, publications: written),
            ServerMessage.Subscribed(
                position: position, wasRecovering: wasRecovering, recovered: recovered, publications: read)
        )
    }

    /// Returns an envelope and the expected result of reading it.
    mutating func envelope() -> (ServerEnvelope, ServerMessage) {
        let id = UInt32.random(in: 1...(.max), using: &random)
        let data = Array(object(depth: 3).utf8)
        let (room, offset) = (random.text(upTo: 6), random.next())
        // The Protobuf form uses 32 bits.
        let seconds = UInt64(UInt32.random(in: 0...(.max), using: &random))
        let ttl = random.chance(2) ? seconds : nil
        switch Int.random(in: 0..<7, using: &random) {
        case 0: return (.rpc(id: id, data: data), .reply(id: id, .rpc(data: data)))
        case 1:
            let (written, read) = subscription()
            return (.subscribed(id: id, written), .reply(id: id, .subscribed(read)))
        case 2:
            let publication = Publication(offset: offset, data: data)
            return (
                .publication(room: room, publication),
                .push(channel: room, .publication(.init(offset: offset, data: data)))
            )
        case 3:
            let position = RoomPosition(offset: offset, epoch: random.text(upTo: 4))
            return (
                .gained(room: room, at: position), .push(channel: room, .subscribed(position))
            )
        case 4:
            return (
                .lost(room: room, .server),
                .push(channel: room, .unsubscribed(code: 2000, reason: "server unsubscribe"))
            )
        case 5:
            return (
                .refreshed(id: id, client: room, version: "", ttl: ttl),
                .reply(id: id, .refreshed(ttl: ttl))
            )
        default:
            let (written, read) = subscription()
            let result = ConnectResult(
                client: room, version: "", session: "", node: "", ttl: ttl, pingSeconds: seconds, data: data,
                subs: [(room, written)])
            let connected = ServerMessage.Connected(
                client: room, ttl: ttl, pingSeconds: seconds, wantsPong: true, data: data, subs: [room: read])
            return (.connected(id: id, result), .reply(id: id, .connected(connected)))
        }
    }
}

extension SeededGenerator {
    /// Returns a random command of a client.
    mutating func envelope() -> ClientEnvelope {
        let position = RoomPosition(offset: next(), epoch: text(upTo: 4))
        let command: ClientEnvelope.Command
        switch Int.random(in: 0..<8, using: &self) {
        case 0:
            var positions: [String: RoomPosition] = [:]
            for _ in 0..<Int.random(in: 0...12, using: &self) { positions[text(upTo: 5)] = position }
            command = .connect(
                ConnectRequest(
                    // The Protobuf form cannot express an empty token.
                    token: chance(2) ? "t" + text(upTo: 9) : nil, subscribe: chance(2) ? .none : .joined,
                    positions: positions))
        case 1:
            command = .subscribe(
                SubscribeRequest(
                    channel: text(upTo: 5), recover: chance(2) ? position : nil,
                    rejectUnrecovered: chance(2),
                    notOffered: chance(4)
                        ? SubscribeRequest.NotOffered.allCases.randomElement(using: &self) : nil
                ))
        case 2: command = .unsubscribe(channel: text(upTo: 5))
        case 3: command = .refresh(token: text(upTo: 9))
        case 4: command = .ping
        case 5: command = .notOffered("history")
        case 6: return ClientEnvelope(id: 0, command: .pong)
        default:
            var json = RandomJSON(random: self)
            command = .rpc(method: text(upTo: 9), data: Array(json.object(depth: 3).utf8)[...])
        }
        return ClientEnvelope(id: UInt32.random(in: 1...(.max), using: &self), command: command)
    }
}
