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
