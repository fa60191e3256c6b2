/// The event types sent to a webhook: `"*"` or a list of types on the wire.
public enum WebhookEvents: Codable, Hashable, Sendable {
    /// Every durable event and `push`.
    case all
    /// Some types of the event catalogue, and possibly `push`.
    case types([String])

    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let types = try? container.decode([String].self) {
            self = .types(types)
        } else {
            guard try container.decode(String.self) == "*" else { throw invalid("a list of types or \"*\"", decoder) }
            self = .all
        }
    }

    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .all: try container.encode("*")
        case .types(let types): try container.encode(types)
        }
    }

    package func includes(_ type: String) -> Bool {
        switch self {
        case .all: true
        case .types(let types): types.contains(type)
        }
    }
}

/// A webhook as responses return it, without its secrets.
public struct Webhook: Codable, Hashable, Sendable {
    /// The webhook's id: `[A-Za-z0-9_-]{1,64}`.
    public var id: String
    /// The URL that receives the events.
    public var url: String
    /// Which events are delivered.
    public var events: WebhookEvents

    /// Creates a value from its fields.
    public init(id: String, url: String, events: WebhookEvents) {
        self.id = id
        self.url = url
        self.events = events
    }
}

/// A webhook together with the secrets that sign its deliveries.
package struct WebhookTarget: Codable, Hashable, Sendable {
    package let webhook: Webhook
    package let secret: String
    /// Also signs deliveries, while receivers migrate to `secret`.
    package let previousSecret: String?

    package init(webhook: Webhook, secret: String, previousSecret: String? = nil) {
        self.webhook = webhook
        self.secret = secret
        self.previousSecret = previousSecret
    }
}

/// A response that contains one webhook.
public struct WebhookResponse: Codable, Hashable, Sendable {
    /// The webhook, without its secrets.
    public var webhook: Webhook
    /// Creates a value from its fields.
    public init(webhook: Webhook) { self.webhook = webhook }
}

/// Adds a webhook or replaces the one with the same id (`L2`). The server has at most 20. Server only.
public struct SetWebhook: Request {
    /// The response to `webhook.set`.
    public typealias Response = WebhookResponse
    /// The method name.
    public static let method = "webhook.set"
    /// The webhook's id: `[A-Za-z0-9_-]{1,64}`.
    public var id: String
    /// The URL that receives the events: `http://` or `https://`, at most 2,048 bytes.
    public var url: String
    /// Which events are delivered.
    public var events: WebhookEvents
    /// The signing key: 24–256 bytes. A value in the key format of Standard Webhooks, `whsec_` and Base64, is decoded
    /// first.
    public var secret: String
    /// A second key that also signs deliveries, so that receivers can migrate to `secret` one at a time.
    public var previousSecret: String?

    /// Creates a `webhook.set` request; nil arguments are omitted.
    public init(id: String, url: String, events: WebhookEvents, secret: String, previousSecret: String? = nil) {
        self.id = id
        self.url = url
        self.events = events
        self.secret = secret
        self.previousSecret = previousSecret
    }

    enum CodingKeys: String, CodingKey {
        case id, url, events, secret
        case previousSecret = "previous_secret"
    }
}

/// Lists all webhooks by id, without their secrets. Server only.
public struct ListWebhooks: Request {
    /// The response to `webhook.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The webhooks, by id.
        public var webhooks: [Webhook]
        /// Creates a response from its fields.
        public init(webhooks: [Webhook]) { self.webhooks = webhooks }
    }
    /// The method name.
    public static let method = "webhook.list"
    /// Creates a `webhook.list` request.
    public init() {}
}

/// Deletes a webhook and its queued deliveries. Server only.
public struct DeleteWebhook: Request {
    /// The response to `webhook.delete`.
    public typealias Response = WebhookResponse
    /// The method name.
    public static let method = "webhook.delete"
    /// The webhook's id.
    public var id: String
    /// Creates a `webhook.delete` request.
    public init(id: String) { self.id = id }
}
