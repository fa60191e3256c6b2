import ChatModel

extension Event {
    /// The part of a parent that a reply quotes (`T3`), as the parent was when the reply was sent.
    ///
    /// It is in the reply's record, so that announcing the reply needs no other message's content. It has at most
    /// `Quote.textBytes` of text, and one file.
    package struct Quote: Hashable, Codable, Sendable {
        /// The maximum size of the text in UTF-8 bytes.
        package static let textBytes = 1_024

        package var kind: MessageKind
        /// The parent's sender; `nil` for the app itself.
        package var sender: UserID?
        /// When the parent was sent, in milliseconds since 1970.
        package var createdAt: Int64
        /// The beginning of the text; `nil` for a parent with files.
        package var text: String?
        /// The first file, without thumbnails.
        package var file: MessageFile?
        /// The requested thumbnails of `file`; at most `FieldLimits.thumbnailsPerMessage`.
        package var thumbnailSizes: [ThumbnailSize]?

        package init(
            kind: MessageKind, sender: UserID? = nil, createdAt: Int64, text: String? = nil, file: MessageFile? = nil,
            thumbnailSizes: [ThumbnailSize]? = nil
        ) {
            self.kind = kind
            self.sender = sender
            self.createdAt = createdAt
            self.text = text
            self.file = file
            self.thumbnailSizes = thumbnailSizes
        }

        /// Quotes a message that is not deleted.
        init(_ message: StoredMessage) {
            self.init(kind: message.kind, sender: message.sender, createdAt: message.createdAt)
            if let files = message.extras?.files {
                file = files.first
                thumbnailSizes = message.extras?.thumbnailSizes
            } else {
                text = message.text.prefix(utf8: Self.textBytes)
            }
        }
    }
}

extension String {
    /// Returns the longest prefix of whole characters that has at most this many bytes. If the first character alone is
    /// longer, the prefix consists of whole Unicode scalars.
    func prefix(utf8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        // A substring never splits a scalar.
        let end = self[..<utf8.index(startIndex, offsetBy: limit)].endIndex
        // Whether the last character is whole depends on one more scalar. Searching the whole text could take long.
        let next = unicodeScalars.index(after: end)
        let last = self[..<next].index(before: next)
        return String(self[..<(last > startIndex ? last : end)])
    }
}
