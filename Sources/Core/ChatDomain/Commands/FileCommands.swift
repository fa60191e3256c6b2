import ChatModel

/// Whether the caller may upload to the channel; checked before the body is read. Available over HTTP only, so it is
/// not in the command table.
package struct PrepareUpload: Query {
    package struct Response: Codable, Sendable {}
    package static let method = "file.prepare"
    package let channelID: ChannelID
    /// As far as it is known before the body arrives.
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

/// Registers a file in the folder with the chat.
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

/// An upload, for users who may access it: its owner until it is sent, then everyone who may see its message (`CH7`).
/// In an ephemeral channel, where no message is stored, that is every member for as long as the upload is kept: only
/// the recipients of the message know its id (`CH5`).
/// For everyone else the answer is the same as for a file that never existed.
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

/// A thumbnail of an upload, for users who may access the upload, in a size that its message names (`MS1`).
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
    /// The user who uploads: anyone who could send a message (`MS9`), within the limit of unsent files.
    fileprivate func uploader(of size: Int64, to id: ChannelID, _ context: Context) throws(Rejection) -> UserID {
        let user = try speaker(in: id, context).user.id
        guard !user.isGuest else { throw Rejection(.notForGuests, "uploads") }
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
