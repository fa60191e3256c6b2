import Crypto
import HTTPCodec

/// One file of the page, as it is sent.
package struct PageFile: Sendable {
    /// With its charset.
    package let mediaType: String
    /// Shared by all answers that hold them.
    package let bytes: [UInt8]
    package let entityTag: EntityTag
    /// Whether its path names its content too, so that nobody has to ask for it twice. RFC 8246.
    package private(set) var isImmutable = false

    /// - Returns: Nil for a path whose media type is not known.
    init?(path: String, bytes: [UInt8]) {
        guard let mediaType = Self.mediaType(of: path) else { return nil }
        self.mediaType = mediaType
        self.bytes = bytes
        // Strong, because every byte counts. Half of SHA-256 names a file as well as all of it.
        let digest = SHA256.hash(data: bytes).prefix(16)
        entityTag = EntityTag(strong: digest.map(Self.hex).joined())
    }

    /// The same file under a path that changes with the content of the page.
    var immutable: PageFile {
        var file = self
        file.isImmutable = true
        return file
    }

    static func hex(_ byte: UInt8) -> String { String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }

    /// By the end of the path's name. What a browser may execute or show is named rightly, as it is told not to guess.
    static func mediaType(of path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        return mediaTypes[String(name[name.index(after: dot)...])]
    }

    private static let mediaTypes = [
        "html": "text/html; charset=utf-8",
        // RFC 9239 §6.
        "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml; charset=utf-8",
        "json": "application/json; charset=utf-8",
        "txt": "text/plain; charset=utf-8",
        "webmanifest": "application/manifest+json; charset=utf-8",
        "png": "image/png",
        "jpg": "image/jpeg",
        "webp": "image/webp",
        "ico": "image/vnd.microsoft.icon",
    ]
}
