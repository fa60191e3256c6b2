import ChatModel

extension NaiveChat {
    mutating func upsert(_ request: UpsertUser) throws(Refused) -> Outcome {
        try checkName(request.nickname, atMost: 80)
        try checkURL(request.profileURL)
        try refuse(1032, when: request.id.isGuest && people[request.id] == nil)
        try refuse(1026, when: request.isAppAdmin == true && request.id.isGuest)
        var person = people[request.id] ?? newcomer(request.id)
        person.isAppAdmin = request.isAppAdmin ?? person.isAppAdmin
        person.nickname = request.nickname ?? person.nickname
        person.profileURL = request.profileURL ?? person.profileURL
        person.metadata = request.metadata ?? person.metadata
        people[request.id] = person
        return .user(seen(request.id, inFull: true))
    }

    func get(_ request: GetUser, _ user: UserID?) throws(Refused) -> Outcome {
        guard let id = request.userID else { return .user(seen(try person(user), inFull: true)) }
        try refuse(1000, when: people[id] == nil)
        return .user(seen(id, inFull: true))
    }

    /// Connections are not part of the model.
    func disconnect(_ id: UserID) throws(Refused) -> Outcome {
        try refuse(1000, when: people[id] == nil)
        return .user(seen(id, inFull: true))
    }

    mutating func setActive(_ id: UserID, _ isActive: Bool) throws(Refused) -> Outcome {
        try refuse(1000, when: people[id] == nil)
        people[id]?.isActive = isActive
        return .user(seen(id, inFull: true))
    }

    func list(_ request: ListUsers) throws(Refused) -> Outcome {
        try refuse(1032, when: request.userIDs.isEmpty)
        return try told(people.keys.filter(request.userIDs.contains), request.limit)
    }

    func list(_ request: ListAllUsers) throws(Refused) -> Outcome {
        try checkName(request.nicknamePrefix, atMost: 80)
        let prefix = (request.nicknamePrefix ?? "").lowercased()
        return try told(
            people.keys.filter { (people[$0]?.nickname ?? "").lowercased().hasPrefix(prefix) }, request.limit)
    }

    private func told(_ users: [UserID], _ limit: Int?) throws(Refused) -> Outcome {
        let page = try page(of: users.sorted(by: isListedBefore), limit)
        return .people(page.items.map { seen($0, inFull: true) }, isLast: page.isLast)
    }

    mutating func prefer(_ request: UpdatePreferences, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        try refuse(1026, when: user.isGuest)
        if let wanted = request.autoAcceptInvitations { people[user]?.acceptsAtOnce = wanted }
        return .preferences(acceptsAtOnce: people[user]?.acceptsAtOnce ?? false)
    }

    mutating func add(_ request: CreateEmoji) throws(Refused) -> Outcome {
        // Scripts register every key with the same properties, which differ from those of all default emojis.
        try refuse(1032, when: emojis.contains(request.key) && !registered.contains(request.key))
        if !emojis.contains(request.key) { emojis.append(request.key) }
        registered.insert(request.key)
        return .emoji(request.key)
    }

    mutating func remove(_ request: DeleteEmoji) throws(Refused) -> Outcome {
        try refuse(1034, when: !emojis.contains(request.key))
        emojis.removeAll { $0 == request.key }
        registered.remove(request.key)
        return .emoji(request.key)
    }

    func checkName(_ name: String?, atMost limit: Int) throws(Refused) {
        guard let name else { return }
        try refuse(1030, when: name.unicodeScalars.count > limit)
        try refuse(1032, when: name.contains("\u{202E}") || name.contains("\n"))
    }

    func checkURL(_ url: String?) throws(Refused) {
        guard let url else { return }
        try refuse(1032, when: !["https://", "http://", "/"].contains { url.hasPrefix($0) })
    }
}
