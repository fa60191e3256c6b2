import ChatModel

@testable import WireProtocol

/// Returns the bytes of hexadecimal digits, optionally separated by spaces.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { $0 != " " }
    return stride(from: 0, to: digits.count, by: 2).map { start in
        let from = digits.index(digits.startIndex, offsetBy: start)
        return UInt8(digits[from..<digits.index(from, offsetBy: 2)], radix: 16) ?? 0
    }
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
}

/// A parsed protocol buffers message: the last number and all byte strings of each field.
struct ProtobufFields {
    private(set) var numbers: [UInt64: UInt64] = [:]
    private(set) var bytes: [UInt64: [[UInt8]]] = [:]

    /// Returns nil for an invalid message.
    init?(_ message: [UInt8]) {
        var (numbers, strings): ([UInt64: UInt64], [UInt64: [[UInt8]]]) = ([:], [:])
        let isDone = message.withUnsafeBytes { raw in
            var reader = ProtoReader(raw)
            while let (field, value) = reader.next() {
                switch value {
                case .number(let number): numbers[field] = number
                case .bytes(let range): strings[field, default: []].append(Array(raw[range]))
                case .other: break
                }
            }
            return reader.isDone
        }
        guard isDone else { return nil }
        (self.numbers, bytes) = (numbers, strings)
    }

    func number(_ field: UInt64) -> UInt64 { numbers[field] ?? 0 }
    func flag(_ field: UInt64) -> Bool { number(field) != 0 }
    func data(_ field: UInt64) -> [UInt8] { bytes[field]?.last ?? [] }
    func text(_ field: UInt64) -> String { String(decoding: data(field), as: UTF8.self) }
    func message(_ field: UInt64) -> ProtobufFields? { bytes[field]?.last.flatMap(ProtobufFields.init) }
}

/// Decodes server messages like a Protobuf client, by the field numbers of `client.proto`.
extension ServerMessage {
    static func decode(protobuf message: [UInt8]) -> [ServerMessage]? {
        var messages: [ServerMessage] = []
        let isRead = message.withUnsafeBytes { raw in
            var reader = ProtoReader(raw)
            while !reader.isAtEnd {
                guard let range = reader.delimited(), let fields = ProtobufFields(Array(raw[range])),
                    let message = ServerMessage(fields)
                else { return false }
                messages.append(message)
            }
            return true
        }
        return isRead ? messages : nil
    }

    private init?(_ fields: ProtobufFields) {
        if let push = fields.message(4) {
            guard let content = Push(push) else { return nil }
            self = .push(channel: push.text(2), content)
        } else if let id = UInt32(exactly: fields.number(1)), id > 0 {
            guard let reply = Reply(fields) else { return nil }
            self = .reply(id: id, reply)
        } else {
            self = .ping
        }
    }
}

extension ServerMessage.Reply {
    fileprivate init?(_ fields: ProtobufFields) {
        if let error = fields.message(2) {
            self = .error(
                code: Int(error.number(1)), message: error.text(2), temporary: error.flag(3))
        } else if let connect = fields.message(5) {
            var subs: [String: ServerMessage.Subscribed] = [:]
            for entry in connect.bytes[6] ?? [] {
                guard let entry = ProtobufFields(entry), let sub = entry.message(2).map(ServerMessage.Subscribed.init)
                else { return nil }
                subs[entry.text(1)] = sub
            }
            self = .connected(
                ServerMessage.Connected(
                    client: connect.text(1), ttl: connect.flag(3) ? connect.number(4) : nil,
                    pingSeconds: connect.number(7), wantsPong: connect.flag(8), data: connect.data(5), subs: subs))
        } else if let subscribe = fields.message(6) {
            self = .subscribed(ServerMessage.Subscribed(subscribe))
        } else if fields.message(7) != nil {
            self = .unsubscribed
        } else if fields.message(12) != nil {
            self = .pong
        } else if let rpc = fields.message(13) {
            self = .rpc(data: rpc.data(1))
        } else if let refresh = fields.message(14) {
            self = .refreshed(ttl: refresh.flag(3) ? refresh.number(4) : nil)
        } else {
            return nil
        }
    }
}

extension ServerMessage.Push {
    fileprivate init?(_ fields: ProtobufFields) {
        if let publication = fields.message(4) {
            self = .publication(ServerMessage.Publication(publication))
        } else if let unsubscribe = fields.message(7) {
            self = .unsubscribed(code: unsubscribe.number(2), reason: unsubscribe.text(3))
        } else if let subscribe = fields.message(9) {
            self = .subscribed(RoomPosition(offset: subscribe.number(5), epoch: subscribe.text(4)))
        } else {
            return nil
        }
    }
}

extension ServerMessage.Publication {
    fileprivate init(_ fields: ProtobufFields) {
        self.init(offset: fields.number(6), data: fields.data(4))
    }
}

extension ServerMessage.Subscribed {
    fileprivate init(_ fields: ProtobufFields) {
        self.init(
            position: RoomPosition(offset: fields.number(9), epoch: fields.text(6)),
            wasRecovering: fields.flag(12), recovered: fields.flag(8),
            publications: (fields.bytes[7] ?? []).compactMap(ProtobufFields.init).map(ServerMessage.Publication.init))
    }
}

/// Encodes commands like a Protobuf client.
extension ClientEnvelope {
    var protobuf: [UInt8] {
        var writer = ProtoWriter(capacity: 128)
        writer.delimited { writer in
            writer.number(1, UInt64(id))
            switch command {
            case .pong: break
            case .connect(let request):
                writer.message(4) { connect in
                    connect.text(1, request.token ?? "")
                    connect.data(2, Array(#"{"subscribe":"\#(request.subscribe.rawValue)"}"#.utf8)[...])
                    for (name, position) in request.positions {
                        connect.message(3) {
                            $0.text(1, name)
                            $0.message(2) { $0.position(position) }
                        }
                    }
                }
            case .subscribe(let request):
                writer.message(5) {
                    $0.text(1, request.channel)
                    $0.text(2, request.notOffered == .token ? "?" : "")
                    if let position = request.recover { $0.position(position) }
                    $0.data(8, request.notOffered == .data ? [0xFF] : [])
                    $0.flag(11, request.notOffered == .joinLeave)
                    if request.notOffered == .tagsFilter { $0.message(13) { $0.text(1, "?") } }
                    $0.number(14, request.rejectUnrecovered ? 2 : 0)
                }
            case .unsubscribe(let channel): writer.message(6) { $0.text(1, channel) }
            case .rpc(let method, let data):
                writer.message(13) {
                    $0.data(1, data)
                    $0.text(2, method)
                }
            case .refresh(let token): writer.message(14) { $0.text(1, token) }
            case .ping: writer.message(11) { _ in }
            case .notOffered: writer.message(10) { _ in }
            }
        }
        return writer.bytes
    }
}

extension ProtoWriter {
    fileprivate mutating func position(_ position: RoomPosition) {
        flag(3, true)
        text(6, position.epoch)
        number(7, position.offset)
    }
}
