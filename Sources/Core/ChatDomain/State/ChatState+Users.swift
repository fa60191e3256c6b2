import ChatModel

/// Changes of users. Called only by `evolve`.
extension ChatState {
    func create(_ created: Event.UserCreated, at time: Int64) {
        let user = UserState(created)
        let before = erased.tokensRevokedBefore(created.id)
        if before > 0 { user.revokeTokens(before: before) }
        users[created.id] = user
        guard created.id.isGuest else { return }
        guests.insert(created.id)
        user.recordActivity(at: time)
    }

    func register(_ device: Device, of user: UserID) {
        users[user]?.register(device)
        deviceOwners[device] = user
    }

    func unregister(_ device: Device, of user: UserID) {
        users[user]?.unregister(device)
        deviceOwners[device] = nil
    }

    func removeGuest(_ guest: UserID) {
        for device in users[guest]?.devices ?? [] { deviceOwners[device] = nil }
        users[guest] = nil
        guests.remove(guest)
        forgetSanctions(of: guest)
    }

    /// Begins to erase a user (`PR1`). The profile is gone at once, and later turns replace the user elsewhere.
    func erase(_ deleted: Event.UserDeleted) {
        erased.add(deleted.erased)
        guard let id = deleted.id, let user = users[id] else { return }
        for device in user.devices { deviceOwners[device] = nil }
        user.erase(deleted.erased)
        beingErased.insert(id)
        reports.removeAll(naming: id)
        forgetSanctions(of: id)
    }

    /// Lets the alias of a deleted user take the user's place in a part of a channel.
    func replace(_ replaced: Event.UserReplaced, at time: Int64) {
        guard let erasure = users[replaced.user]?.erasure,
            let channel = channels[replaced.channel] ?? imports.channel(replaced.channel)?.state
        else { return }
        let creator = channel.createdBy
        let isOpen = channels[replaced.channel] != nil
        let invited = channel.invitations.filter { $0.value.inviter == replaced.user }.map(\.key)
        let files = channel.replace(replaced, by: erasure.alias, deletes: erasure.deletesMessages, at: time)
        self.files.replaceOwner(of: files.kept, by: erasure.alias)
        removedFiles = self.files.remove(files.deleted)
        guard isOpen else { return }
        for user in invited { users[user]?.invite(to: channel.id, by: erasure.alias) }
        users[replaced.user]?.leave(channel.id)
        if creator == replaced.user, channel.createdBy == erasure.alias {
            countChannels(of: replaced.user, -1)
            countChannels(of: erasure.alias, 1)
        }
    }

    /// Ends an erasure: nothing names the user any longer.
    func forget(_ user: UserID) {
        guard users[user]?.erasure != nil else { return }
        removeGuest(user)
        beingErased.remove(user)
        imports.forget(user)
    }
}

// MARK: pieces
extension ChatState {
    func load(_ part: UserPart) throws(StatePart.Problem) {
        let id = part.user.id
        guard users[id] == nil else { throw .repeated("user \(id)") }
        guard part.inboxTop <= StatePart.lastOffset else { throw .exhausted("#\(id)") }
        let user = UserState(part)
        users[id] = user
        if id.isGuest { guests.insert(id) }
        if user.erasure != nil { beingErased.insert(id) }
        for device in part.devices { deviceOwners[device] = id }
    }

    func knownUser(_ id: UserID) throws(StatePart.Problem) -> UserState {
        guard let user = users[id] else { throw .unknownUser(id) }
        return user
    }
}
