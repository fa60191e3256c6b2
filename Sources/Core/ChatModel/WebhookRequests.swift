/// The events sent to a webhook: on the wire `"*"` or a list of types.
public enum WebhookEvents: Codable, Hashable, Sendable {
    /// Every durable event, and `push`.
    case all
    /// Types of the event catalogue, and `push`.
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

/// A webhook as returned to callers; its secret is never returned.
public struct Webhook: Codable, Hashable, Sendable {
    /// Identifies the webhook: `[A-Za-z0-9_-]{1,64}`.
    public var id: String
    /// Where events are delivered.
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

/// A webhook with the secrets that sign its deliveries.
package struct WebhookTarget: Codable, Hashable, Sendable {
    package let webhook: Webhook
    package let secret: String
    /// Signs deliveries as well, while receivers migrate from it.
    package let previousSecret: String?

    package init(webhook: Webhook, secret: String, previousSecret: String? = nil) {
        self.webhook = webhook
        self.secret = secret
        self.previousSecret = previousSecret
    }
}

/// An answer that consists of a webhook.
public struct WebhookResponse: Codable, Hashable, Sendable {
    /// The webhook, without its secrets.
    public var webhook: Webhook
    /// Creates a value from its fields.
    public init(webhook: Webhook) { self.webhook = webhook }
}

/// Adds a webhook or replaces the one with this id (`L2`). Server only; at most 20.
public struct SetWebhook: Request {
    /// The server's answer to `webhook.set`.
    public typealias Response = WebhookResponse
    /// The name of the method on the wire.
    public static let method = "webhook.set"
    /// `[A-Za-z0-9_-]{1,64}`
    public var id: String
    /// `http://` or `https://`, at most 2,048 bytes.
    public var url: String
    /// Which events are delivered.
    public var events: WebhookEvents
    /// 24–256 bytes. `whsec_` and Base64, the key format of Standard Webhooks, stands for the bytes that it encodes.
    public var secret: String
    /// Deliveries are also signed with this one, so that receivers can migrate to `secret` one after the other.
    public var previousSecret: String?

    /// Creates a `webhook.set` request; a nil argument leaves its field out.
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
    /// The server's answer to `webhook.list`.
    public struct Response: Codable, Hashable, Sendable {
        /// The webhooks, by id.
        public var webhooks: [Webhook]
        /// Creates a response from its fields.
        public init(webhooks: [Webhook]) { self.webhooks = webhooks }
    }
    /// The name of the method on the wire.
    public static let method = "webhook.list"
    /// Creates a `webhook.list` request.
    public init() {}
}

/// Deletes a webhook and its waiting deliveries. Server only.
public struct DeleteWebhook: Request {
    /// The server's answer to `webhook.delete`.
    public typealias Response = WebhookResponse
    /// The name of the method on the wire.
    public static let method = "webhook.delete"
    /// The webhook's id.
    public var id: String
    /// Creates a `webhook.delete` request.
    public init(id: String) { self.id = id }
}
