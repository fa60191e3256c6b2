import ChatModel

/// A file stored in the server's folder.
package struct UploadedFile: Equatable, Sendable, Codable {
    package let id: FileID
    /// The channel whose members may access it.
    package let channel: ChannelID
    package let owner: UserID
    /// Without a path, control characters or anything that would disguise it.
    package let name: String
    /// In bytes.
    package let size: Int64
    /// Determined from its first bytes, whatever its name claims.
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

    /// Whether thumbnails can be made of it.
    package var hasThumbnails: Bool { Self.hasThumbnails(mimeType) }

    static func hasThumbnails(_ mimeType: String) -> Bool { mimeType == "image/png" || mimeType == "image/jpeg" }

    /// The form shown to users who may access it.
    package var view: MessageFile {
        MessageFile(
            id: id, url: "/v1/files/\(id)/\(PercentEncoding.encode(name))", name: name, size: size, mimeType: mimeType)
    }
}
