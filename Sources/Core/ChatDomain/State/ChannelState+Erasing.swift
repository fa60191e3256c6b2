import ChatModel

extension ChannelState {
    /// Returns whether anything but messages names a user, such as a membership or a sanction.
    func names(_ user: UserID) -> Bool {
        members.all[user] != nil || invitations[user] != nil || createdBy == user
            || distinctKey?.members.contains(user) ?? false || bans.names(user) || mutes.names(user)
            || slowMode?.has(user) ?? false || moderationLog.names(user)
            || members.all.contains { $0.value.invitedBy == user } || invitations.contains { $0.value.inviter == user }
    }

    /// Returns whether the message at a place names a user, as its sender, in a mention or in a reaction.
    ///
    /// - Parameters:
    ///   - number: The sender's number in the list.
    ///   - messages: The channel's messages.
    func names(_ user: UserID, number: UInt32?, at place: Int, in messages: MessageList) -> Bool {
        messages.isSent(by: number, at: place) || messages.mentions(user, at: place)
            || reactions(on: messages.id(at: place))?.contains(user) ?? false
    }

    /// Lets the alias of a deleted user take the user's place in a part of the channel.
    ///
    /// - Parameter deletes: Whether the user's messages are deleted.
    /// - Returns: The uploads among the files of the messages that stay, and of those deleted.
    func replace(
        _ replaced: Event.UserReplaced, by alias: UserID, deletes: Bool, at time: Int64
    ) -> (kept: [FileID], deleted: [FileID]) {
        if replaced.after == 0 { replacePeople(replaced.user, by: alias) }
        return changeMessages { store in
            store.need(after: replaced.after, upTo: replaced.upTo)
            let range = store.messages.places(after: replaced.after, upTo: replaced.upTo)
            return store.replace(replaced.user, by: alias, in: range, deletes: deletes, at: time)
        }
    }
}
