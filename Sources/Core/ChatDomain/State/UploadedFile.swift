import ChatModel

/// A file stored in the server's folder.
package struct UploadedFile: Equatable, Sendable, Codable {
    package let id: FileID
    /// The channel whose members can access the file.
    package let channel: ChannelID
    package let owner: UserID
    /// The file's name, without a path, control characters or anything that could disguise it.
    package let name: String
    /// The size in bytes.
    package let size: Int64
    /// The media type, determined from the first bytes regardless of the name.
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

    func owned(by owner: UserID) -> UploadedFile {
        UploadedFile(id: id, channel: channel, owner: owner, name: name, size: size, mimeType: mimeType)
    }

    package var hasThumbnails: Bool { Self.hasThumbnails(mimeType) }

    static func hasThumbnails(_ mimeType: String) -> Bool { mimeType == "image/png" || mimeType == "image/jpeg" }

    /// The form shown to users who can access the file.
    package var view: MessageFile {
        MessageFile(
            id: id, url: "/v1/files/\(id)/\(PercentEncoding.encode(name))", name: name, size: size, mimeType: mimeType)
    }
}
