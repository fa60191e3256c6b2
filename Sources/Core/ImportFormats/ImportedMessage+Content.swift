import ChatModel

extension ImportedMessage {
    /// The maximum number of files of a message.
    private static let filesPerMessage = 20

    /// Stands for content that cannot be imported, so that replies keep their parent.
    static let emptyText = "…"

    mutating func mention(_ users: [UserID]) {
        if !users.isEmpty { (mentionType, mentionedUserIDs) = (.users, users) }
    }

    /// Returns the message with files, as several messages if they are too many for one.
    ///
    /// - Parameter isSecond: Whether another message with the text has the message's id.
    func messages(with files: [MessageFile], isSecond: Bool = false) -> [ImportedMessage] {
        let starts = Array(stride(from: 0, to: files.count, by: Self.filesPerMessage))
        return starts.enumerated().map { number, start in
            let part = files[start...].prefix(Self.filesPerMessage)
            var message = self
            message.kind = part.count == 1 ? .file : .files
            message.files = Array(part)
            if number > 0 { message.id += ".files\(number + 1)" } else if isSecond { message.id += ".files" }
            return message
        }
    }
}
