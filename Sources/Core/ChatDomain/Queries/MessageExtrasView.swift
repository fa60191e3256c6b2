import ChatModel

extension Message {
    /// Adds the optional content of a message (`MS2`).
    mutating func apply(_ extras: MessageExtras) {
        metaArrays = extras.metaArrays
        targetLanguages = extras.targetLanguages
        pushOption = extras.pushOption
        criticalAlert = extras.criticalAlert
        sourceID = extras.sourceID
        guard let shown = extras.shownFiles else { return }
        files = shown
        text = nil
    }
}

extension MessageExtras {
    fileprivate var shownFiles: [MessageFile]? { files?.map { $0.showing(thumbnailSizes) } }
}

extension MessageFile {
    /// Returns the file with the requested thumbnails. A thumbnail of an uploaded PNG or JPEG is generated when it is
    /// fetched; any other image is its own thumbnail.
    func showing(_ sizes: [ThumbnailSize]?) -> MessageFile {
        guard let sizes, mimeType?.hasPrefix("image/") ?? false else { return self }
        var file = self
        file.thumbnails = sizes.map {
            Thumbnail(maxWidth: $0.maxWidth, maxHeight: $0.maxHeight, url: url(of: $0))
        }
        return file
    }

    fileprivate func url(of size: ThumbnailSize) -> String {
        guard id != nil, let mimeType, UploadedFile.hasThumbnails(mimeType) else { return url }
        return "\(url)?thumbnail=\(size.maxWidth)x\(size.maxHeight)"
    }
}
