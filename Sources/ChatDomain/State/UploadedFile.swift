import ChatModel

/// A file that lies in the server's folder.
package struct UploadedFile: Equatable, Sendable, Codable {
    package let id: FileID
    /// Access follows this channel.
    package let channel: ChannelID
    package let owner: UserID
    /// Without a path, controls or anything that would disguise it.
    package let name: String
    /// Bytes.
    package let size: Int64
    /// As its first bytes say it, whatever its name claims.
    package let mimeType: String

    package init(
        id: FileID, channel: ChannelID, owner: UserID, name: String, size: Int64, mimeType: String
    ) {
        self.id = id
        self.channel = channel
        self.owner = owner
        self.name = name
        self.size = size
        self.mimeType = mimeType
    }

    /// Whether smaller images may be made of it.
    package var hasThumbnails: Bool { Self.hasThumbnails(mimeType) }

    static func hasThumbnails(_ mimeType: String) -> Bool { mimeType == "image/png" || mimeType == "image/jpeg" }

    /// As those see it who may have it.
    package var view: MessageFile {
        MessageFile(
            id: id, url: "/v1/files/\(id)/\(PercentEncoding.encode(name))", name: name, size: size, mimeType: mimeType)
    }
}

/// RFC 3986 §2.1: whatever is not an unreserved character is escaped, which also serves RFC 8187 §3.2.1.
package enum PercentEncoding {
    package static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0xF)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
