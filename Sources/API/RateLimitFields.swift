import HTTPTypes

/// What an answer tells of the rate of its user: `RateLimit-Policy` and `RateLimit`.
/// draft-ietf-httpapi-ratelimit-headers-11 §3, §4.
package struct RateLimitFields: Sendable, Equatable {
    /// Requests that can be made at once: the quota.
    package let quota: Int
    /// Whole seconds in which a quota that was used up is there again, at least 1.
    package let window: Int64
    /// Requests that can be made now.
    package let left: Int

    package init(quota: Int, window: Int64, left: Int) {
        self.quota = quota
        self.window = window
        self.left = left
    }

    /// Names the policy: `connections.user_commands_…`.
    private static let policy = "\"user\""

    /// The effective window is a second: at least one request a second is let in, so then there is more.
    package func add(to fields: inout HTTPFields) {
        fields[.rateLimitPolicy] = "\(Self.policy);q=\(quota);w=\(window)"
        fields[.rateLimit] = "\(Self.policy);r=\(left);t=1"
    }

    /// Nobody can tell when one of them ends: long enough that those who come again all the time are not the load.
    private static let secondsUntilOneEnds = 10

    /// Of an answer to who is turned away because an address has as many connections as it may
    /// (`connections.per_address`); §3.1 of the draft names the unit.
    package static func addFull(quota: Int, to fields: inout HTTPFields) {
        fields[.retryAfter] = "\(secondsUntilOneEnds)"
        fields[.rateLimitPolicy] = "\"address\";q=\(quota);qu=\"concurrent-requests\""
        fields[.rateLimit] = "\"address\";r=0"
    }
}
