import ChatModel

/// Content that few messages have (`MS2`). A plain message has none and reserves no space for it.
package struct MessageExtras: Equatable, Sendable, Codable {
    package var metaArrays: [String: [String]]?
    package var targetLanguages: [String]?
    /// Whether the message is pushed; the recipients' preferences apply if absent.
    package var pushOption: PushOption?
    package var criticalAlert: CriticalAlert?
    /// The files, without thumbnails.
    package var files: [MessageFile]?
    package var thumbnailSizes: [ThumbnailSize]?
    /// The id of an imported message in the chat that it comes from (`PR3`).
    package var sourceID: String?

    package init() {}

    /// The extras; `nil` if all fields are empty.
    var nilIfEmpty: MessageExtras? { self == MessageExtras() ? nil : self }

    var hasUploads: Bool { files?.contains { $0.id != nil } ?? false }

    /// Hashes every field that a sender can set, in an order that is the same in every process.
    func combine(into hash: inout StableHash) {
        hash.combine(metaArrays?.count.description)
        for (key, values) in (metaArrays ?? [:]).sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            hash.combine(key)
            hash.combine(all: values)
        }
        hash.combine(all: targetLanguages)
        hash.combine(pushOption?.rawValue)
        hash.combine(criticalAlert?.name)
        hash.combine(criticalAlert?.volume.bitPattern.description)
        hash.combine(files?.count.description)
        for file in files ?? [] {
            hash.combine(file.id?.description)
            hash.combine(all: [file.url, file.name, file.size?.description, file.mimeType].map { $0 ?? "" })
        }
        hash.combine(all: thumbnailSizes?.map { "\($0.maxWidth) \($0.maxHeight)" })
    }

    /// Compares bytes, as for texts.
    static func isSame(_ a: MessageExtras?, _ b: MessageExtras?) -> Bool { hash(a) == hash(b) }

    private static func hash(_ extras: MessageExtras?) -> UInt64 {
        var hash = StableHash()
        (extras ?? MessageExtras()).combine(into: &hash)
        return hash.value
    }
}

extension StableHash {
    mutating func combine(all texts: [String]?) {
        combine(texts?.count.description)
        for text in texts ?? [] { combine(text) }
    }
}
