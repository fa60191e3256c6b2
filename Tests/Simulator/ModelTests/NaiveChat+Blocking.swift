import ChatModel

extension NaiveChat {
    func isBlocked(_ user: UserID?, by other: UserID) -> Bool {
        user.map { blocked[other]?.contains($0) ?? false } ?? false
    }

    mutating func block(_ other: UserID, _ isBlocked: Bool, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        try refuse(1000, when: people[other] == nil)
        try refuse(1032, when: isBlocked && other == user)
        if self.isBlocked(other, by: user) != isBlocked {
            blocked[user, default: []].removeAll { $0 == other }
            if isBlocked { blocked[user, default: []].append(other) }
            told[user, default: Heard()].inInbox.append(.blocked(other, isBlocked))
        }
        return .blocked([seen(other)], isBlocked: isBlocked)
    }

    func blocked(_ request: ListBlocked, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        let page = try page(of: (blocked[user] ?? []).sorted(by: isListedBefore), request.limit)
        return .people(page.items.map { seen($0) }, isLast: page.isLast)
    }
}
