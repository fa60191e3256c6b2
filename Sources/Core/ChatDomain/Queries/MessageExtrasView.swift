import ChatModel

extension Message {
    /// Adds the optional content of a message (`MS2`).
    mutating func apply(_ extras: MessageExtras) {
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
    /// Adds the quoted message's file, or the first if it has several.
    mutating func apply(_ extras: MessageExtras) {
        guard let shown = extras.shownFiles else { return }
        file = shown.first
        text = nil
    }
}

extension MessageExtras {
    /// The files with the requested thumbnails. A thumbnail of an uploaded PNG or JPEG is generated when it is fetched;
    /// any other image is its own thumbnail.
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
