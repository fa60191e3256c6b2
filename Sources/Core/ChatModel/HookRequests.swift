/// What happens to a text when the app's hook gives no valid answer in time (`MO4`).
public enum HookFailure: String, Codable, Sendable, CaseIterable {
    /// The text is accepted as it is.
    case allow
    /// The text is refused (1050).
    case refuse
}

/// The app's hook, which decides about texts before they are stored (`MO4`). Responses omit its secret.
public struct MessageHook: Codable, Hashable, Sendable {
    /// The URL that is asked.
    public var url: String
    /// The time for an answer, in milliseconds.
    public var timeoutMilliseconds: Int
    /// What happens without a valid answer.
    public var onFailure: HookFailure

    /// Creates a value from its fields.
    public init(url: String, timeoutMilliseconds: Int = Self.defaultMilliseconds, onFailure: HookFailure) {
        self.url = url
        self.timeoutMilliseconds = timeoutMilliseconds
        self.onFailure = onFailure
    }

    /// The time for an answer in milliseconds, unless `hook.set` says otherwise.
    public static let defaultMilliseconds = 500

    enum CodingKeys: String, CodingKey {
        case url
        case timeoutMilliseconds = "timeout_ms"
        case onFailure = "on_failure"
    }
}

/// The hook together with the secrets that sign its requests.
package struct HookTarget: Hashable, Sendable {
    package let hook: MessageHook
    package let secret: String
    /// Also signs requests, while the receiver migrates to `secret`.
    package let previousSecret: String?

    package init(hook: MessageHook, secret: String, previousSecret: String? = nil) {
        self.hook = hook
        self.secret = secret
        self.previousSecret = previousSecret
    }
}

/// A response that contains the hook.
public struct HookResponse: Codable, Hashable, Sendable {
    /// The hook, without its secrets; absent if there is none.
    public var hook: MessageHook?
    /// Creates a value from its fields.
    public init(hook: MessageHook?) { self.hook = hook }
}

/// Sets the hook that decides about texts of users before they are stored, or removes it (`MO4`). Server only.
public struct SetHook: Request {
    /// The response to `hook.set`.
    public typealias Response = HookResponse
    /// The method name.
    public static let method = "hook.set"
    /// The URL that is asked: `http://` or `https://`, at most 2,048 bytes. Absent to remove the hook.
    public var url: String?
    /// The signing key: 24–256 bytes, as for `webhook.set`. Required with `url`.
    public var secret: String?
    /// A second key that also signs requests.
    public var previousSecret: String?
    /// The time for an answer, in milliseconds: 50–5,000, by default 500.
    public var timeoutMilliseconds: Int?
    /// What happens without a valid answer in time. Required with `url`.
    public var onFailure: HookFailure?

    /// Creates a `hook.set` request; nil arguments are omitted.
    public init(
        url: String? = nil, secret: String? = nil, previousSecret: String? = nil, timeoutMilliseconds: Int? = nil,
        onFailure: HookFailure? = nil
    ) {
        self.url = url
        self.secret = secret
        self.previousSecret = previousSecret
        self.timeoutMilliseconds = timeoutMilliseconds
        self.onFailure = onFailure
    }

    enum CodingKeys: String, CodingKey {
        case url, secret
        case previousSecret = "previous_secret"
        case timeoutMilliseconds = "timeout_ms"
        case onFailure = "on_failure"
    }
}

/// Returns the hook without its secrets (`MO4`). Server only.
public struct GetHook: Request {
    /// The response to `hook.get`.
    public typealias Response = HookResponse
    /// The method name.
    public static let method = "hook.get"
    /// Creates a `hook.get` request.
    public init() {}
}
