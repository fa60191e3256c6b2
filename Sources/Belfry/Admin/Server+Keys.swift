import API
import WireProtocol

/// `/session` and `/keys`: the permissions of a server key, and the list of keys. Neither reveals a key.
extension Server {
    /// Describes the request's key.
    func sessionJSON(of key: NamedKey?) -> [UInt8] {
        var writer = JSONWriter(capacity: 2_048)
        writer.object { object in
            if let key {
                describe(key, in: &object)
                object.array("commands", CommandTable.commands(for: key.scopes).map(Self.text))
            }
            object.field("version", Version.number)
            object.field("is_clustered", cluster != nil)
        }
        return writer.bytes
    }

    /// Lists the keys in the order in which they are configured.
    func keysJSON() -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024)
        writer.object { object in
            object.objects("keys", keys.ring.current) { describe($0, in: &$1) }
        }
        return writer.bytes
    }

    private func describe(_ key: NamedKey, in object: inout JSONWriter) {
        object.field("id", key.id)
        object.array("scopes", KeyScope.allCases.filter(key.scopes.contains).map { Self.text($0.rawValue) })
        if let end = key.expiresAt { object.field("expires_at", end) }
        object.field("is_expired", key.isExpired(at: WallClock.milliseconds()))
        if let last = keys.uses.lastUse(of: key.id) { object.field("last_used_at", last) }
    }

    private static func text(_ text: String) -> [UInt8] { WireEncoder().encode(text) }
}
