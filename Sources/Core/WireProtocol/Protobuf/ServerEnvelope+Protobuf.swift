import ChatModel

/// Encoding in the Protobuf form: one length-prefixed `Reply` from `client.proto` per envelope.
///
/// Fields with default values are omitted. `retry_after_ms`, which the JSON form adds to errors, has no field here.
extension ServerEnvelope {
    var protobuf: [UInt8] {
        switch self {
        case .ping: [0]
        case .error(let id, let rejection): Self.reply(id, 2) { rejection.write(to: &$0) }
        case .rpc(let id, let data): Self.reply(id, 13, capacity: data.count + 32) { $0.data(1, data[...]) }
        case .unsubscribed(let id): Self.reply(id, 7) { _ in }
        case .pong(let id): Self.reply(id, 12) { _ in }
        case .refreshed(let id, let client, let version, let ttl):
            Self.reply(id, 14) {
                $0.text(1, client)
                $0.text(2, version)
                $0.expiry(ttl)
            }
        case .subscribed(let id, let result):
            Self.reply(id, 6, capacity: result.protobufCapacity) { result.write(to: &$0) }
        case .connected(let id, let result):
            Self.reply(id, 5, capacity: result.subs.reduce(result.data.count + 256) { $0 + $1.result.protobufCapacity })
            {
                result.write(to: &$0)
            }
        case .publication(let room, let publication):
            Self.push(room, 4, capacity: publication.largestSize + 64) { publication.write(to: &$0) }
        case .gained(let room, let position):
            Self.push(room, 9) {
                $0.flag(1, true)
                $0.text(4, position.epoch)
                $0.number(5, position.offset)
                $0.flag(6, true)
            }
        case .lost(let room, let code):
            Self.push(room, 7) {
                $0.number(2, UInt64(code.rawValue))
                $0.text(3, code.reason)
            }
        }
    }

    private static func reply(
        _ id: UInt32, _ field: UInt64, capacity: Int = 128, _ body: (inout ProtoWriter) -> Void
    ) -> [UInt8] {
        var writer = ProtoWriter(capacity: capacity)
        writer.delimited {
            $0.number(1, UInt64(id))
            $0.message(field, body)
        }
        return writer.bytes
    }

    private static func push(
        _ room: String, _ field: UInt64, capacity: Int = 192, _ body: (inout ProtoWriter) -> Void
    ) -> [UInt8] {
        var writer = ProtoWriter(capacity: capacity)
        writer.delimited {
            $0.message(4) {
                $0.text(2, room)
                $0.message(field, body)
            }
        }
        return writer.bytes
    }
}

extension Rejection {
    fileprivate func write(to writer: inout ProtoWriter) {
        writer.number(1, UInt64(code.rawValue))
        writer.text(2, message)
        writer.flag(3, code.isTemporary)
    }
}

extension ConnectResult {
    fileprivate func write(to writer: inout ProtoWriter) {
        writer.text(1, client)
        writer.text(2, version)
        writer.expiry(ttl)
        writer.data(5, data[...])
        for (name, sub) in subs {
            writer.message(6) {
                $0.text(1, name)
                $0.message(2) { sub.write(to: &$0) }
            }
        }
        writer.number(7, UInt64(UInt32(clamping: pingSeconds)))
        writer.flag(8, true)
        writer.text(9, session)
        writer.text(10, node)
    }
}

extension SubscribeResult {
    /// An estimate of the size that is large enough for most results.
    fileprivate var protobufCapacity: Int { publications.reduce(192) { $0 + $1.largestSize } }

    fileprivate func write(to writer: inout ProtoWriter) {
        writer.flag(3, true)
        writer.text(6, position.epoch)
        for publication in publications { writer.message(7) { publication.write(to: &$0) } }
        writer.flag(8, recovered)
        writer.number(9, position.offset)
        writer.flag(10, true)
        writer.flag(12, wasRecovering)
    }
}

extension ProtoWriter {
    /// Writes `expires` and `ttl`, which have the same field numbers in all results. `ttl` is limited to 32 bits.
    fileprivate mutating func expiry(_ ttl: UInt64?) {
        guard let ttl else { return }
        flag(3, true)
        number(4, UInt64(UInt32(clamping: ttl)))
    }
}
