import ChatModel

extension SendMessage {
    /// Returns the message's files in their stored form, and the thumbnails requested by the sender (`MS1`).
    func checkedFiles(
        _ kind: MessageKind, in state: ChatState, _ context: Context
    ) throws(Rejection) -> (files: [MessageFile]?, thumbnails: [ThumbnailSize]?) {
        guard kind == .file || kind == .files else {
            guard files?.isEmpty ?? true else { throw Rejection(.invalidValue, "files: only for kind file or files") }
            guard thumbnailSizes?.isEmpty ?? true else {
                throw Rejection(.invalidValue, "thumbnail_sizes: only for kind file or files")
            }
            return (nil, nil)
        }
        let files = files ?? []
        guard !files.isEmpty else { throw Rejection(.invalidValue, "files: must not be empty") }
        let limit = kind == .file ? 1 : FieldLimits.filesPerMessage
        guard files.count <= limit else { throw Rejection(.tooMany, "files: at most \(limit)") }
        var kept: [MessageFile] = []
        var ids: Set<FileID> = []
        for file in files {
            guard let id = file.id else {
                kept.append(try file.checkedExternalFile())
                continue
            }
            guard ids.insert(id).inserted else {
                throw Rejection(.invalidValue, "files: an upload is listed more than once")
            }
            guard let upload = state.files[id]?.file, upload.owner == context.caller.user, upload.channel == channelID
            else { throw Rejection(.fileRejected, "id: not an upload by this user to this channel") }
            kept.append(upload.view)
        }
        return (kept, try checkedThumbnailSizes())
    }

    /// Checks that the uploads are not part of another message and have not expired.
    func checkFilesUnsent(_ extras: MessageExtras?, in state: ChatState, _ context: Context) throws(Rejection) {
        for file in extras?.files ?? [] { try state.checkUnsent(file.id, context) }
    }

    private func checkedThumbnailSizes() throws(Rejection) -> [ThumbnailSize]? {
        guard let thumbnailSizes, !thumbnailSizes.isEmpty else { return nil }
        guard thumbnailSizes.count <= FieldLimits.thumbnailsPerMessage else {
            throw Rejection(.tooMany, "thumbnail_sizes: at most \(FieldLimits.thumbnailsPerMessage)")
        }
        for size in thumbnailSizes {
            try FieldChecks.size(size.maxWidth, "thumbnail_sizes.max_width", FieldLimits.thumbnailPixels)
            try FieldChecks.size(size.maxHeight, "thumbnail_sizes.max_height", FieldLimits.thumbnailPixels)
        }
        return thumbnailSizes
    }
}

extension ChatState {
    /// - Parameter file: The upload; `nil` for a file hosted elsewhere.
    func checkUnsent(_ file: FileID?, _ context: Context) throws(Rejection) {
        guard let file else { return }
        guard let entry = files[file], entry.message == nil, !entry.isExpired(at: context.now) else {
            throw Rejection(.fileRejected, "id: already sent or expired")
        }
    }
}

extension FileReference {
    /// Returns a file hosted elsewhere, as described by its sender.
    ///
    /// - Parameter allowsPaths: Whether the URL may also be a path, as that of an upload is.
    func checkedExternalFile(allowsPaths: Bool = false) throws(Rejection) -> MessageFile {
        guard let url else { throw Rejection(.invalidValue, "files: each needs id or url") }
        guard url.hasPrefix("https://") || url.hasPrefix("http://") || allowsPaths && url.hasPrefix("/") else {
            throw Rejection(.invalidValue, "files.url: must begin with https:// or http://")
        }
        try FieldChecks.url(url, "files.url")
        try FieldChecks.name(name, "files.name", atMost: FieldLimits.nameCodePoints)
        if let size, size < 0 { throw Rejection(.invalidValue, "files.size: must be at least 0") }
        if let mimeType {
            try FieldChecks.bytes(mimeType, "files.mime_type", atMost: FieldLimits.mimeTypeBytes)
            guard MediaType.isValid(mimeType) else {
                throw Rejection(.invalidValue, "files.mime_type: must be type/subtype")
            }
        }
        return MessageFile(url: url, name: name, size: size, mimeType: mimeType)
    }
}
