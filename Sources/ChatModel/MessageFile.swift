/// A file as `message.send` takes it: the id of an upload, or the address of a file that lies elsewhere (`MS1`).
public struct FileReference: Codable, Hashable, Sendable {
    /// Of the sender's own upload to the same channel. What else is given is then the upload's own.
    public var id: FileID?
    /// `https://` or `http://`, at most 2,048 bytes.
    public var url: String?
    /// At most 200 code points.
    public var name: String?
    /// Bytes, at least 0.
    public var size: Int64?
    public var mimeType: String?

    public init(
        id: FileID? = nil, url: String? = nil, name: String? = nil, size: Int64? = nil, mimeType: String? = nil
    ) {
        self.id = id
        self.url = url
        self.name = name
        self.size = size
        self.mimeType = mimeType
    }

    enum CodingKeys: String, CodingKey {
        case id, url, name, size
        case mimeType = "mime_type"
    }
}

/// A box into which a thumbnail is to fit, each side 1–4,096 pixels.
public struct ThumbnailSize: Codable, Hashable, Sendable {
    public var maxWidth: Int
    public var maxHeight: Int

    public init(maxWidth: Int, maxHeight: Int) {
        self.maxWidth = maxWidth
        self.maxHeight = maxHeight
    }

    enum CodingKeys: String, CodingKey {
        case maxWidth = "max_width"
        case maxHeight = "max_height"
    }
}

public struct Thumbnail: Codable, Hashable, Sendable {
    public var maxWidth: Int
    public var maxHeight: Int
    /// Of an uploaded PNG or JPEG, which gives the image itself where no smaller one can be made; else the image's own.
    public var url: String

    public init(maxWidth: Int, maxHeight: Int, url: String) {
        self.maxWidth = maxWidth
        self.maxHeight = maxHeight
        self.url = url
    }

    enum CodingKeys: String, CodingKey {
        case url
        case maxWidth = "max_width"
        case maxHeight = "max_height"
    }
}

/// A file as a message shows it.
public struct MessageFile: Codable, Hashable, Sendable {
    /// Absent for a file that lies elsewhere.
    public var id: FileID?
    /// A path of this server for an upload.
    public var url: String
    public var name: String?
    /// Bytes.
    public var size: Int64?
    public var mimeType: String?
    /// In the order asked for with the message; only images have them.
    public var thumbnails: [Thumbnail]?

    public init(
        id: FileID? = nil, url: String, name: String? = nil, size: Int64? = nil, mimeType: String? = nil,
        thumbnails: [Thumbnail]? = nil
    ) {
        self.id = id
        self.url = url
        self.name = name
        self.size = size
        self.mimeType = mimeType
        self.thumbnails = thumbnails
    }

    enum CodingKeys: String, CodingKey {
        case id, url, name, size, thumbnails
        case mimeType = "mime_type"
    }
}

/// The answer to `POST /v1/files`.
public struct FileResponse: Codable, Hashable, Sendable {
    public var file: MessageFile
    public init(file: MessageFile) { self.file = file }
}
