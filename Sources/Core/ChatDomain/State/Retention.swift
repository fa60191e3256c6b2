/// How long messages are kept (`PR4`). For a channel, an absent limit means that of the app.
package struct Retention: Equatable, Sendable {
    /// The age in seconds from which messages are removed; 0 for no limit.
    package var seconds: Int?
    /// The number of a channel's newest messages that are kept, replies and deleted ones included; 0 for no limit.
    package var count: Int?

    package init(seconds: Int? = nil, count: Int? = nil) {
        self.seconds = seconds
        self.count = count
    }

    /// Returns the limits of a channel in an app; `nil` stands for no limit.
    func over(_ app: ChatSettings) -> (seconds: Int?, count: Int?) {
        func limit(_ own: Int?, _ app: Int) -> Int? { (own ?? app) > 0 ? own ?? app : nil }
        return (limit(seconds, app.retentionSeconds), limit(count, app.retentionCount))
    }

    /// How long client ids are kept at least, in milliseconds, so that a late retry sends no second message (`MS3`).
    static let clientIDMilliseconds: Int64 = 86_400_000
}
