import ChatModel

extension Message {
    /// Adds the optional content of a message (`MS2`).
    mutating func show(_ extras: MessageExtras) {
        metaArrays = extras.metaArrays
        targetLanguages = extras.targetLanguages
        pushOption = extras.pushOption
        criticalAlert = extras.criticalAlert
        guard let shown = extras.shownFiles else { return }
        files = shown
        text = nil
    }
}

extension MessageParent {
    /// A quote of several files shows the first.
    mutating func show(_ extras: MessageExtras) {
        guard let shown = extras.shownFiles else { return }
        file = shown.first
        text = nil
    }
}

extension MessageExtras {
    /// The files with the requested thumbnails. Thumbnails of an upload are generated when they are fetched. A file
    /// hosted elsewhere, or one that is neither PNG nor JPEG, serves as its own thumbnail.
    fileprivate var shownFiles: [MessageFile]? {
        guard let files, let thumbnailSizes else { return files }
        return files.map { file in
            guard file.mimeType?.hasPrefix("image/") ?? false else { return file }
            var file = file
            file.thumbnails = thumbnailSizes.map {
                Thumbnail(maxWidth: $0.maxWidth, maxHeight: $0.maxHeight, url: file.url(of: $0))
            }
            return file
        }
    }
}

extension MessageFile {
    fileprivate func url(of size: ThumbnailSize) -> String {
        guard id != nil, let mimeType, UploadedFile.hasThumbnails(mimeType) else { return url }
        return "\(url)?thumbnail=\(size.maxWidth)x\(size.maxHeight)"
    }
}
