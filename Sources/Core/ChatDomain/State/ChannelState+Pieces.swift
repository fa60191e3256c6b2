import ChatModel

// The channel as stored in a snapshot.
extension ChannelState {
    /// The channel without its lists.
    var head: ChannelPart {
        ChannelPart(
            channel: Event.ChannelCreated(
                id: id, epoch: epoch, name: name, isPublic: isPublic, isSuper: isSuper, isEphemeral: isEphemeral,
                distinctKey: distinctKey, coverURL: coverURL, data: data, customType: customType, metadata: metadata,
                creator: createdBy, creatorRole: .operator),
            createdAt: createdAt, isFrozen: isFrozen, top: top, invitations: [], bans: [], mutes: [], threads: [],
            messageCount: messages.keptCount, messageSeconds: messageSeconds, retention: retention,
            firstOffset: firstOffset)
    }

    func memberPart(of user: UserID, _ limits: PieceLimits) -> MemberPart? {
        members.all[user].map { member in
            var part = MemberPart(user, member, marks: member.threadMarks.count <= limits.inlineMarks)
            part.hidden = hiddenState(of: user, member)
            part.needsUnhideNotice = part.hidden != member.hidden
            return part
        }
    }
}
