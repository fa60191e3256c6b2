import ChatModel

extension Message {
    /// `MS2`
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
    /// A quote of files shows the first.
    mutating func show(_ extras: MessageExtras) {
        guard let shown = extras.shownFiles else { return }
        file = shown.first
        text = nil
    }
}

extension MessageExtras {
    /// The files with the thumbnails that were asked for. No smaller image is made: each leads to the image itself.
    fileprivate var shownFiles: [MessageFile]? {
        guard let files, let thumbnailSizes else { return files }
        return files.map { file in
            guard file.mimeType?.hasPrefix("image/") ?? false else { return file }
            var file = file
            file.thumbnails = thumbnailSizes.map {
                Thumbnail(maxWidth: $0.maxWidth, maxHeight: $0.maxHeight, url: file.url)
            }
            return file
        }
    }
}
