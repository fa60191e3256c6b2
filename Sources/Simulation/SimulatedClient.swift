import ChatModel
import Gateway
import WireProtocol

/// One device of a person: it connects, asks, hears, remembers its places, and asks again what was not answered.
final class SimulatedClient: Listener {
    enum State: Equatable {
        case away
        case attaching
        case live
    }

    let index: Int
    let user: UserID
    let loop: Int
    private let recorder: Recorder
    private(set) var state = State.away
    /// Counts its connections.
    private(set) var connection = ConnectionID(loop: 0, serial: 0)
    private var lastCommand: UInt32 = 0
    /// Where it stands in each room it has ever heard, by the room's name.
    private(set) var positions: [String: StreamPosition] = [:]
    /// What it asked and was not answered, in order.
    private(set) var waiting: [(command: UInt32, request: any Request)] = []
    /// Sends of which it does not know what became of them, in order.
    private(set) var unknown: [SendMessage] = []
    /// Kept by the hub.
    var seats = Seats()

    init(index: Int, user: UserID, loop: Int, recorder: Recorder) {
        self.index = index
        self.user = user
        self.loop = loop
        self.recorder = recorder
    }

    // MARK: What it does

    /// - Parameter serial: Of the connection, never used before.
    func connect(serial: UInt64) -> AttachRequest {
        state = .attaching
        connection = ConnectionID(loop: loop, serial: serial)
        let places = positions.compactMap { name, position in Room(name: name).map { ($0, position) } }
        return AttachRequest(
            address: nextAddress(), user: user, subscribe: .joined,
            positions: Dictionary(places) { first, _ in first })
    }

    func nextAddress() -> ReturnAddress {
        lastCommand += 1
        return ReturnAddress(connection: connection, command: lastCommand)
    }

    func ask(_ request: any Request) -> ReturnAddress {
        let address = nextAddress()
        waiting.append((address.command, request))
        return address
    }

    /// The next send whose outcome it does not know.
    func nextUnknown() -> SendMessage? { unknown.isEmpty ? nil : unknown.removeFirst() }

    func retry(_ send: SendMessage) { unknown.append(send) }

    /// Whatever it had asked may have happened or not.
    func disconnect() {
        guard state != .away else { return }
        for case (_, let send as SendMessage) in waiting { unknown.append(send) }
        waiting = []
        state = .away
        seats = Seats()
        recorder.note(.disconnected(client: index)) { $0.add(UInt64(self.index)) }
    }

    // MARK: What reaches it

    func attached(_ reply: ConnectReply) {
        state = .live
        for (name, result) in reply.subs { sit(name, result) }
        for envelope in reply.overflow { hear(envelope) }
    }

    func subscribed(_ room: Room, _ result: SubscribeResult) { sit(room.name, result) }

    /// - Returns: What was asked.
    func answered(_ command: UInt32) -> (any Request)? {
        guard let index = waiting.firstIndex(where: { $0.command == command }) else { return nil }
        return waiting.remove(at: index).request
    }

    func left(_ room: Room) { note(.unseated(client: index, room), room.name) }

    func write(_ frames: [UInt8]) {
        var rest = frames[...]
        while let payload = Self.nextPayload(of: &rest) { hear(payload) }
    }

    func writeTransient(_ frames: [UInt8]) {}
    func oust() { disconnect() }

    private func sit(_ name: String, _ result: SubscribeResult) {
        guard let room = Room(name: name) else { return }
        let heard = result.publications.compactMap(Self.heard)
        let recovery: History.Recovery =
            switch (result.wasRecovering, positions[name]) {
            case (true, let from?) where result.recovered: .recovered(from: from, heard)
            case (true, let from?): .impossible(from: from)
            default: .notAsked
            }
        positions[name] = result.position
        recorder.note(.seated(client: index, user: user, room, result.position, recovery)) { hash in
            hash.add(UInt64(self.index))
            hash.add(name)
            hash.add(result.position.offset)
            for publication in result.publications { hash.add(publication) }
        }
    }

    private func hear(_ envelope: [UInt8]) {
        guard let message = ServerMessage.publication(in: envelope) else { return hearSlowly(envelope) }
        hear(message)
    }

    private func hearSlowly(_ envelope: [UInt8]) {
        for message in (try? ServerMessage.decode(envelope)) ?? [] { hear(message) }
    }

    private func hear(_ message: ServerMessage) {
        guard case .push(let name, let push) = message, let room = Room(name: name) else { return }
        switch push {
        case .publication(let publication):
            guard publication.offset > 0 else { return }
            positions[name]?.offset = publication.offset
            let heard = History.Heard(offset: publication.offset, data: publication.data)
            recorder.note(.heard(client: index, room, heard)) { hash in
                hash.add(UInt64(self.index))
                hash.add(name)
                hash.add(publication.offset)
                hash.add(publication.data)
            }
        case .subscribed(let position):
            positions[name] = position
            note(.seated(client: index, user: user, room, position, .notAsked), name)
        case .unsubscribed: note(.unseated(client: index, room), name)
        case .disconnected, .other: break
        }
    }

    private func note(_ moment: History.Moment, _ name: String) {
        recorder.note(moment) { hash in
            hash.add(UInt64(self.index))
            hash.add(name)
        }
    }

    private static func heard(_ publication: [UInt8]) -> History.Heard? {
        guard let fields = try? JSONFields(publication), let offset = try? fields.unsigned("offset"),
            let data = fields.raw("data")
        else { return nil }
        return History.Heard(offset: offset, data: Array(data))
    }

    /// The payload of the next unmasked frame. RFC 6455 §5.2.
    private static func nextPayload(of frames: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard frames.count >= 2 else { return nil }
        let start = frames.startIndex
        var size = Int(frames[start + 1])
        var header = 2
        if size >= 126 {
            let bytes = size == 126 ? 2 : 8
            size = frames[(start + 2)..<(start + 2 + bytes)].reduce(0) { $0 << 8 | Int($1) }
            header += bytes
        }
        let payload = Array(frames[(start + header)..<(start + header + size)])
        frames = frames[(start + header + size)...]
        return payload
    }
}
