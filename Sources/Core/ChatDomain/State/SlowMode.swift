import ChatModel

/// The slow mode of a channel: the time between two messages of one member, and who has sent one lately (`MO5`).
///
/// Times stay when a member leaves, or their message is deleted, so that neither ends the wait.
struct SlowMode {
    /// The seconds between two messages of one member; at least 1.
    var seconds: Int
    /// When each user sent their last message, in milliseconds since 1970.
    private var sentAt = ShardedDictionary<UserID, Int64>()
    /// The size at which times that no longer matter are dropped. It doubles after each pass, so the amortized cost is
    /// O(1) per message.
    private var pruneAt = 64

    init(seconds: Int) { self.seconds = seconds }

    /// Returns whether a time of the user is kept.
    func has(_ user: UserID) -> Bool { sentAt[user] != nil }

    /// The number of users whose times are kept.
    var count: Int { sentAt.count }

    /// Returns how long a user must wait for the next message, in milliseconds; `nil` if they need not wait.
    func wait(of user: UserID, at now: Int64) -> Int64? {
        guard let end = sentAt[user].map({ $0 + milliseconds }), end > now else { return nil }
        return end - now
    }

    /// Returns the users who must still wait, sorted; built one at a time.
    func parts(at now: Int64) -> some Sequence<SenderPart> {
        let (times, start) = (sentAt, now - milliseconds)
        return times.filter { $0.value > start }.map(\.key).sorted().lazy.compactMap { user in
            times[user].map { SenderPart(user: user, at: $0) }
        }
    }

    private var milliseconds: Int64 { Int64(seconds) * 1_000 }

    // MARK: evolve

    mutating func record(_ message: StoredMessage) {
        if let sender = message.sender { recordMessage(of: sender, at: message.createdAt) }
    }

    mutating func recordMessage(of user: UserID, at time: Int64) {
        sentAt[user] = time
        guard sentAt.count >= pruneAt else { return }
        let start = time - milliseconds
        sentAt.removeAll { $0 <= start }
        pruneAt = max(64, 2 * sentAt.count)
    }

    mutating func forget(_ user: UserID) { sentAt[user] = nil }
}

extension ChannelState {
    /// - Parameter seconds: 0 ends the slow mode.
    func setSlowMode(_ seconds: Int) {
        guard seconds > 0 else { return slowMode = nil }
        if slowMode == nil { slowMode = SlowMode(seconds: seconds) }
        slowMode?.seconds = seconds
    }
}

extension ChatState {
    /// Checks that the caller need not wait before the next message. Operators and the server never wait.
    func checkSlowMode(in channel: ChannelState, _ context: Context) throws(Rejection) {
        guard let slowMode = channel.slowMode, let user = context.caller.user, role(of: user, in: channel) < .operator,
            let wait = slowMode.wait(of: user, at: context.now)
        else { return }
        throw Rejection(
            .slowMode, "one message in \(slowMode.seconds) seconds", retryAfterMilliseconds: wait)
    }
}
