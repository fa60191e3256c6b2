import Cryptography
import HTTPCodec

/// A file of the page, ready to be sent.
package struct PageFile: Sendable {
    /// The media type, including the charset.
    package let mediaType: String
    /// The content, shared by all responses that contain it.
    package let bytes: [UInt8]
    package let entityTag: EntityTag
    /// Whether the path identifies the content, so that clients need not revalidate. RFC 8246.
    package private(set) var isImmutable = false

    /// - Returns: Nil for a path with an unknown media type.
    init?(path: String, bytes: [UInt8]) {
        guard let mediaType = Self.mediaType(of: path) else { return nil }
        self.mediaType = mediaType
        self.bytes = bytes
        // A strong tag, because it covers every byte. Half of a SHA-256 is enough to identify a file.
        let digest = SHA256.hash(bytes).prefix(16)
        entityTag = EntityTag(strong: digest.map(Self.hex).joined())
    }

    /// The same file under a path that changes with the page's content.
    var immutable: PageFile {
        var file = self
        file.isImmutable = true
        return file
    }

    static func hex(_ byte: UInt8) -> String { String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }

    /// Returns the media type for a file extension. Types that a browser executes or displays must be exact, because
    /// `nosniff` forbids guessing.
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

/// The policy on what the page may load and do. Content Security Policy Level 3; Trusted Types.
package enum PagePolicy {
    /// Allows only what the page needs: its own scripts, styles, images and connections; no text that becomes markup or
    /// code, no frames, no forms, no other servers. Images may also be `blob:` or `data:`, because fetching them
    /// requires the user's token.
    package static let text = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
        "connect-src 'self'", "font-src 'none'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")
}
