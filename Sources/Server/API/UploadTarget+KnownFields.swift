import ChatModel

extension UploadTarget {
    /// - Throws: 107 for an unknown query field, with the closest known one.
    package static func refuseUnknownFields(path: String, _ authority: CommandTable.Authority) throws(Rejection) {
        let asUser = "as_user_id"
        let known = ["channel_id", "name"]
        guard let name = try QueryFields(path: path).firstName(outside: known + [asUser]) else { return }
        throw KnownFields.refusal(name, at: "", known + (authority == .server ? [asUser] : []))
    }
}
