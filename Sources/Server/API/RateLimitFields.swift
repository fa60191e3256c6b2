import HTTPTypes

/// Reports a user's rate limit in a response: `RateLimit-Policy` and `RateLimit`.
/// draft-ietf-httpapi-ratelimit-headers-11 §3, §4.
package struct RateLimitFields: Sendable, Equatable {
    /// The quota: requests that can be made at once.
    package let quota: Int
    /// Whole seconds until a used-up quota is restored, at least 1.
    package let window: Int64
    /// Requests that can be made now.
    package let left: Int

    package init(quota: Int, window: Int64, left: Int) {
        self.quota = quota
        self.window = window
        self.left = left
    }

    /// The name of the policy: `connections.user_commands_…`.
    private static let policy = "\"user\""

    /// The effective window is one second: the rate is at least one request per second.
    package func add(to fields: inout HTTPFields) {
        fields[.rateLimitPolicy] = "\(Self.policy);q=\(quota);w=\(window)"
        fields[.rateLimit] = "\(Self.policy);r=\(left);t=1"
    }

    /// No one knows when a connection will end: long enough that clients that keep retrying are not the load.
    private static let secondsUntilOneEnds = 10

    /// Marks a response refused because the address reached its connection limit (`connections.per_address`).
    /// §3.1 of the draft defines the unit.
    package static func addFull(quota: Int, to fields: inout HTTPFields) {
        fields[.retryAfter] = "\(secondsUntilOneEnds)"
        fields[.rateLimitPolicy] = "\"address\";q=\(quota);qu=\"concurrent-requests\""
        fields[.rateLimit] = "\"address\";r=0"
    }
}
