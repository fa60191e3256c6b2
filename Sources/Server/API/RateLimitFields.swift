import HTTPTypes

/// Reports a user's rate limit in a response: `RateLimit-Policy` and `RateLimit`.
/// draft-ietf-httpapi-ratelimit-headers-11 §3, §4.
package struct RateLimitFields: Sendable, Equatable {
    /// The quota: requests that can be made in a burst.
    package let quota: Int
    /// Whole seconds until a fully used quota is restored, at least 1.
    package let window: Int64
    /// Requests that can still be made now.
    package let left: Int

    package init(quota: Int, window: Int64, left: Int) {
        self.quota = quota
        self.window = window
        self.left = left
    }

    /// The name of the policy; the settings are `connections.user_commands_…`.
    private static let policy = "\"user\""

    /// Adds both fields. The effective window (`t`) is one second, because the rate is at least one request per second.
    package func add(to fields: inout HTTPFields) {
        fields[.rateLimitPolicy] = "\(Self.policy);q=\(quota);w=\(window)"
        fields[.rateLimit] = "\(Self.policy);r=\(left);t=1"
    }

    /// A guess, because nobody knows when a connection will end; long enough that retries add little load.
    private static let retryAfterSeconds = 10

    /// Marks a response as refused because the address reached its connection limit (`connections.per_address`).
    /// §3.1 of the draft defines the unit.
    package static func addConnectionLimit(quota: Int, to fields: inout HTTPFields) {
        fields[.retryAfter] = "\(retryAfterSeconds)"
        fields[.rateLimitPolicy] = "\"address\";q=\(quota);qu=\"concurrent-requests\""
        fields[.rateLimit] = "\"address\";r=0"
    }
}
