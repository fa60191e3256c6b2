import ChatModel

extension ScriptWriter {
    /// Returns a request for the user's channels, mostly with few conditions, as otherwise nothing would match.
    mutating func channels() -> any Request {
        var request = ListChannels(
            limit: maybe(60, [1, 2, 3]), order: maybe(70, [.created, .latestMessage, .name, .metadataValue]))
        if request.order == .metadataValue { request.metadataKey = maybe(90, ["k", "l", ""]) }
        request.includeEmpty = maybe(70, [true, true, false])
        request.memberState = maybe(30, [.all, .joined, .invited])
        request.hiddenState = maybe(
            40, [.all, .unhidden, .hidden, .hiddenAllowAutoUnhide, .hiddenPreventAutoUnhide])
        if random.chance(percent: 15) { request.userIDsExact = persons(percent: 40) }
        if random.chance(percent: 20) {
            request.userIDsInclude = persons(percent: 40)
            request.userIDsQuery = maybe(60, [.and, .or])
        }
        request.nameContains = maybe(15, ["t", "CO", "", "bad\n"])
        request.customTypes = maybe(15, [["a"], ["a", "b"], []])
        request.unreadOnly = maybe(20, [true, false])
        request.isPublic = maybe(15, [true, false])
        request.isSuper = maybe(15, [true, false])
        request.isDistinct = maybe(15, [true, false])
        return request
    }

    mutating func publicChannels() -> any Request {
        var request = ListPublicChannels(
            limit: maybe(60, [1, 2]), order: maybe(70, [.created, .name, .metadataValue]),
            includeEmpty: maybe(70, [true, true, false]), nameContains: maybe(20, ["t", "CO", ""]),
            membership: maybe(40, [.all, .joined]))
        if request.order == .metadataValue { request.metadataKey = maybe(90, ["k", "l"]) }
        return request
    }
}
