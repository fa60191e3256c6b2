/// A file as passed to `message.send`: the id of an upload, or the URL of a file hosted elsewhere (`MS1`).
public struct FileReference: Codable, Hashable, Sendable {
    /// The id of the sender's upload to the same channel. The server then fills in the other fields.
    public var id: FileID?
    /// The URL of a file hosted elsewhere: `https://` or `http://`, at most 2,048 bytes.
    public var url: String?
    /// The file's name: at most 200 code points.
    public var name: String?
    /// The size in bytes: at least 0.
    public var size: Int64?
    /// The media type, such as `image/png`; nil if unknown.
    public var mimeType: String?

    /// Creates a value from its fields.
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

/// The bounding box of a thumbnail; each side 1–4,096 pixels.
public struct ThumbnailSize: Codable, Hashable, Sendable {
    /// The maximum width in pixels: 1–4,096.
    public var maxWidth: Int
    /// The maximum height in pixels: 1–4,096.
    public var maxHeight: Int

    /// Creates a value from its fields.
    public init(maxWidth: Int, maxHeight: Int) {
        self.maxWidth = maxWidth
        self.maxHeight = maxHeight
    }

    enum CodingKeys: String, CodingKey {
        case maxWidth = "max_width"
        case maxHeight = "max_height"
    }
}

/// A thumbnail of an image in a message.
public struct Thumbnail: Codable, Hashable, Sendable {
    /// The maximum width in pixels: 1–4,096.
    public var maxWidth: Int
    /// The maximum height in pixels: 1–4,096.
    public var maxHeight: Int
    /// The URL of the thumbnail. For an uploaded PNG or JPEG it serves the image itself if no thumbnail can be made.
    /// For any other image, it is the URL of the image.
    public var url: String

    /// Creates a value from its fields.
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

/// A file as it appears in a message.
public struct MessageFile: Codable, Hashable, Sendable {
    /// The id of the upload; absent for a file hosted elsewhere.
    public var id: FileID?
    /// The URL; a path on this server for an upload.
    public var url: String
    /// The file's name, at most 200 characters; absent if unknown.
    public var name: String?
    /// The size in bytes; absent if unknown.
    public var size: Int64?
    /// The media type, such as `image/png`; nil if unknown.
    public var mimeType: String?
    /// The thumbnails of an image, in the order requested with the message.
    public var thumbnails: [Thumbnail]?

    /// Creates a value from its fields.
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

/// The response to `POST /v1/files`.
public struct FileResponse: Codable, Hashable, Sendable {
    /// The uploaded file.
    public var file: MessageFile
    /// Creates a value from its fields.
    public init(file: MessageFile) { self.file = file }
}
