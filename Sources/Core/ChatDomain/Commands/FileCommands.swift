import ChatModel

/// Checks whether the caller can upload to the channel, before the body is read. HTTP only, so it is not in the command
/// table.
package struct PrepareUpload: Query {
    package struct Response: Codable, Sendable {}
    package static let method = "file.prepare"
    package let channelID: ChannelID
    /// The size in bytes, if known before the body arrives.
    package let size: Int64

    package init(channelID: ChannelID, size: Int64 = 0) {
        self.channelID = channelID
        self.size = size
    }

    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        _ = try state.uploader(of: size, to: channelID, context)
        return Response()
    }
}

/// Registers a file that is already in the folder.
package struct RegisterFile: Change {
    package struct Response: Codable, Sendable {
        package let file: MessageFile
    }
    package static let method = "file.register"
    package let id: FileID
    package let channelID: ChannelID
    package let name: String
    package let size: Int64
    package let mimeType: String

    package init(id: FileID, channelID: ChannelID, name: String, size: Int64, mimeType: String) {
        self.id = id
        self.channelID = channelID
        self.name = name
        self.size = size
        self.mimeType = mimeType
    }

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let owner = try state.uploader(of: size, to: channelID, context)
        guard !state.files.contains(id) else { throw Rejection(.internal, "the file id is taken") }
        let file = UploadedFile(
            id: id, channel: channelID, owner: owner, name: name, size: size, mimeType: mimeType)
        return Decision([.fileRegistered(file)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        guard let file = state.files[id]?.file else { throw Rejection(.notFound, "file") }
        return Response(file: file.view)
    }
}

/// Returns an upload to users who can access it: its owner until it is sent, then everyone who can see its message
/// (`CH7`). An ephemeral channel stores no messages, so all its members have access while the upload is kept, but only
/// the message's recipients know the id (`CH5`). For everyone else the file does not exist.
package struct GetFile: Query {
    package typealias Response = UploadedFile
    package static let method = "file.get"
    package let id: FileID

    package init(id: FileID) { self.id = id }

    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> UploadedFile {
        guard let entry = state.files[id], !entry.isExpired(at: context.now),
            let channel = state.channels[entry.file.channel]
        else { throw Rejection(.notFound, "file") }
        guard let user = context.caller.user else { return entry.file }
        guard channel.members[user] != nil else { throw Rejection(.notFound, "file") }
        let maySee =
            if let message = entry.message.flatMap(channel.message) {
                message.offset >= channel.visibleFrom(context.caller)
            } else {
                channel.isEphemeral || entry.file.owner == user
            }
        guard maySee else { throw Rejection(.notFound, "file") }
        return entry.file
    }
}

/// Returns a thumbnail of an upload, in a size that its message requests, to users who can access the upload (`MS1`).
package struct GetThumbnail: Query {
    package typealias Response = UploadedFile
    package static let method = "file.get_thumbnail"
    package let id: FileID
    package let size: ThumbnailSize

    package init(id: FileID, size: ThumbnailSize) {
        self.id = id
        self.size = size
    }

    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> UploadedFile {
        let file = try GetFile(id: id).answer(from: state, context)
        guard file.hasThumbnails, let message = state.files[id]?.message,
            let sizes = state.channels[file.channel]?.message(message)?.extras?.thumbnailSizes, sizes.contains(size)
        else { throw Rejection(.notFound, "thumbnail") }
        return file
    }
}

extension ChatState {
    /// Returns the uploading user: anyone who could send a message (`MS9`), within the limit of unsent files.
    fileprivate func uploader(of size: Int64, to id: ChannelID, _ context: Context) throws(Rejection) -> UserID {
        // Guest limits override roles.
        let isGuest = context.caller.user?.isGuest ?? false
        let user = try speaker(in: id, isGuest ? .send : .upload, context).user.id
        guard !isGuest else { throw Rejection(.notForGuests, "uploads") }
        let isEphemeral = channels[id]?.isEphemeral ?? false
        let waiting = files.unsentCount(of: user, at: context.now) { channels[$0]?.isEphemeral == isEphemeral }
        let limit = isEphemeral ? FieldLimits.ephemeralFilesPerUser : FieldLimits.unsentFilesPerUser
        guard waiting < limit else {
            throw Rejection(
                .tooMany,
                isEphemeral ? "files of ephemeral channels: at most \(limit)" : "files not sent yet: at most \(limit)")
        }
        let quota = Int64(clamping: context.settings.fileBytesPerUser)
        let kept = files.bytes(of: user)
        guard size <= quota, kept <= quota - max(0, size) else {
            throw Rejection(.fileRejected, "\(kept) of \(quota) bytes are in use (files.bytes_per_user)")
        }
        return user
    }
}
