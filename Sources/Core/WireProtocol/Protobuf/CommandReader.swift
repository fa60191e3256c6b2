import ChatModel

/// A decoder for the commands of a binary message. Each command is a length-prefixed `Command` from `client.proto`.
///
/// As Protobuf requires, fields may be in any order, unknown fields and unexpected wire types are skipped, the last
/// value of a repeated scalar wins, and repeated messages are merged. At most three levels are decoded, whatever the
/// input.
struct CommandReader {
    private let frame: [UInt8]
    /// The frame's bytes, which must outlive the reader.
    private let bytes: UnsafeRawBufferPointer

    init(_ frame: [UInt8], _ bytes: UnsafeRawBufferPointer) {
        self.frame = frame
        self.bytes = bytes
    }

    /// Decodes one command.
    ///
    /// - Parameter position: The position of the command's first byte; on return, the position after the command.
    func command(at position: inout Int) throws(ProtobufSyntaxError) -> ClientEnvelope {
        var reader = ProtoReader(bytes, in: position..<bytes.count)
        guard let range = reader.delimited() else { throw .malformed(at: reader.offset) }
        position = range.upperBound
        return try envelope(range)
    }

    // MARK: Messages

    /// The names of unsupported commands in the JSON form, with their field numbers in `Command`.
    private static let unsupported: [(name: String, field: UInt64)] = [
        ("publish", 7), ("presence", 8), ("presence_stats", 9), ("history", 10), ("send", 12), ("sub_refresh", 15),
    ]

    private func envelope(_ range: Range<Int>) throws(ProtobufSyntaxError) -> ClientEnvelope {
        var id: UInt64 = 0
        var isEmpty = true
        var rpc: RPC?
        var connect: Connect?
        var subscribe: Subscribe?
        var unsubscribe: String?
        var refresh: String?
        // One bit per field number, for fields whose presence alone matters.
        var present: UInt16 = 0
        try each(in: range) { field, value throws(ProtobufSyntaxError) in
            switch (field, value) {
            case (1, .number(let number)):
                id = number
                return
            case (4, .bytes(let range)): connect = try read(range, into: connect)
            case (5, .bytes(let range)): subscribe = try read(range, into: subscribe)
            case (6, .bytes(let range)): unsubscribe = try onlyText(range, 1, "channel") ?? unsubscribe ?? ""
            case (13, .bytes(let range)): rpc = try read(range, into: rpc)
            case (14, .bytes(let range)): refresh = try onlyText(range, 1, "token") ?? refresh ?? ""
            case (7...15, .bytes): present |= 1 << UInt16(field)
            default: break
            }
            isEmpty = false
        }
        if id == 0, isEmpty { return ClientEnvelope(id: 0, command: .pong) }
        guard let id = UInt32(exactly: id), id > 0 else { throw .invalidValue(field: "id") }
        func envelope(_ command: ClientEnvelope.Command) -> ClientEnvelope {
            ClientEnvelope(id: id, command: command)
        }
        // The order is the same as in the JSON form.
        if let rpc { return envelope(.rpc(method: rpc.method, data: frame[rpc.data])) }
        if let connect { return envelope(.connect(try request(connect))) }
        if let subscribe { return envelope(.subscribe(request(subscribe))) }
        if let unsubscribe { return envelope(.unsubscribe(channel: unsubscribe)) }
        if let refresh { return envelope(.refresh(token: refresh)) }
        if present & 1 << 11 != 0 { return envelope(.ping) }
        for command in Self.unsupported where present & 1 << UInt16(command.field) != 0 {
            return envelope(.notOffered(command.name))
        }
        throw .invalidValue(field: "command")
    }

    private struct RPC {
        var method = ""
        var data = 0..<0
    }

    private func read(_ range: Range<Int>, into rpc: RPC?) throws(ProtobufSyntaxError) -> RPC {
        var rpc = rpc ?? RPC()
        try each(in: range) { field, value throws(ProtobufSyntaxError) in
            switch (field, value) {
            case (1, .bytes(let range)): rpc.data = range
            case (2, .bytes(let range)): rpc.method = try text(range, "method")
            default: break
            }
        }
        return rpc
    }

    private struct Connect {
        var token = ""
        var data = 0..<0
        var positions: [String: RoomPosition] = [:]
        var rooms = 0
    }

    private func read(_ range: Range<Int>, into connect: Connect?) throws(ProtobufSyntaxError) -> Connect {
        var connect = connect ?? Connect()
        try each(in: range) { field, value throws(ProtobufSyntaxError) in
            switch (field, value) {
            case (1, .bytes(let range)): connect.token = try text(range, "token")
            case (2, .bytes(let range)): connect.data = range
            case (3, .bytes(let range)):
                connect.rooms += 1
                guard connect.rooms <= JSONScanner.memberLimit else { throw .tooMany(limit: JSONScanner.memberLimit) }
                let (room, position) = try sub(range)
                connect.positions[room] = position
            default: break
            }
        }
        return connect
    }

    /// Reads an entry of the map from rooms to positions. The position is nil if the entry does not request recovery.
    private func sub(_ range: Range<Int>) throws(ProtobufSyntaxError) -> (room: String, position: RoomPosition?) {
        var room = ""
        var subscribe: Subscribe?
        try each(in: range) { field, value throws(ProtobufSyntaxError) in
            switch (field, value) {
            case (1, .bytes(let range)): room = try text(range, "subs")
            case (2, .bytes(let range)): subscribe = try read(range, into: subscribe)
            default: break
            }
        }
        return (room, subscribe?.position)
    }

    private func request(_ connect: Connect) throws(ProtobufSyntaxError) -> ConnectRequest {
        var request = ConnectRequest(
            token: connect.token.isEmpty ? nil : connect.token, positions: connect.positions)
        let data = frame[connect.data]
        do throws(JSONSyntaxError) {
            if !data.isEmpty, !data.elementsEqual("null".utf8) { try request.read(data: JSONFields(data)) }
        } catch {
            throw .invalidJSON(field: "data", error)
        }
        return request
    }

    private struct Subscribe {
        var channel = ""
        var token = ""
        var recover = false
        var epoch = ""
        var offset: UInt64 = 0
        var data = 0..<0
        var joinLeave = false
        var hasTagsFilter = false
        var flag: UInt64 = 0

        var position: RoomPosition? { recover ? RoomPosition(offset: offset, epoch: epoch) : nil }
    }

    private func read(_ range: Range<Int>, into subscribe: Subscribe?) throws(ProtobufSyntaxError) -> Subscribe {
        var subscribe = subscribe ?? Subscribe()
        try each(in: range) { field, value throws(ProtobufSyntaxError) in
            switch (field, value) {
            case (1, .bytes(let range)): subscribe.channel = try text(range, "channel")
            case (2, .bytes(let range)): subscribe.token = try text(range, "token")
            case (3, .number(let number)): subscribe.recover = number != 0
            case (6, .bytes(let range)): subscribe.epoch = try text(range, "epoch")
            case (7, .number(let number)): subscribe.offset = number
            case (8, .bytes(let range)): subscribe.data = range
            case (11, .number(let number)): subscribe.joinLeave = number != 0
            case (13, .bytes(let range)): subscribe.hasTagsFilter = subscribe.hasTagsFilter || !range.isEmpty
            case (14, .number(let number)): subscribe.flag = number
            default: break
            }
        }
        return subscribe
    }

    private func request(_ subscribe: Subscribe) -> SubscribeRequest {
        let requested: [(SubscribeRequest.NotOffered, Bool)] = [
            (.token, !subscribe.token.isEmpty), (.data, requestsAnything(frame[subscribe.data])),
            (.joinLeave, subscribe.joinLeave), (.tagsFilter, subscribe.hasTagsFilter),
        ]
        return SubscribeRequest(
            channel: subscribe.channel, recover: subscribe.position, rejectUnrecovered: subscribe.flag & 2 != 0,
            notOffered: requested.first { $0.1 }?.0)
    }

    /// Returns whether subscription data requests anything. Data that is not JSON does.
    private func requestsAnything(_ data: ArraySlice<UInt8>) -> Bool {
        for nothing in ["", "null", #""""#] where data.elementsEqual(nothing.utf8) { return false }
        guard let fields = try? JSONFields(data) else { return true }
        return !fields.isEmpty
    }

    // MARK: Fields

    private func each(
        in range: Range<Int>, _ body: (UInt64, ProtoReader.Value) throws(ProtobufSyntaxError) -> Void
    ) throws(ProtobufSyntaxError) {
        var reader = ProtoReader(bytes, in: range)
        while let (field, value) = reader.next() { try body(field, value) }
        guard reader.isDone else { throw .malformed(at: reader.offset) }
    }

    /// Reads a message of which only one text field is used.
    private func onlyText(
        _ range: Range<Int>, _ number: UInt64, _ name: String
    ) throws(ProtobufSyntaxError) -> String? {
        var found: String?
        try each(in: range) { field, value throws(ProtobufSyntaxError) in
            if field == number, case .bytes(let range) = value { found = try text(range, name) }
        }
        return found
    }

    private func text(_ range: Range<Int>, _ field: String) throws(ProtobufSyntaxError) -> String {
        guard let text = String(validating: frame[range], as: UTF8.self) else { throw .invalidString(field: field) }
        return text
    }
}
