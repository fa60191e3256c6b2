import Logging

/// The services that all connections share, grouped by purpose. A class, so that accessing it for every frame copies
/// nothing.
package final class Services: Sendable {
    package let chat: ChatServices
    let access: AccessControl
    package let limits: SharedLimits
    package let content: HTTPContent
    let identity: ServerIdentity
    let metrics: ConnectionMetrics
    /// Milliseconds since 1970.
    let wallClock: @Sendable () -> Int64
    let logger: Logger

    package init(
        chat: ChatServices, access: AccessControl, limits: SharedLimits, content: HTTPContent,
        identity: ServerIdentity, metrics: ConnectionMetrics, wallClock: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        self.chat = chat
        self.access = access
        self.limits = limits
        self.content = content
        self.identity = identity
        self.metrics = metrics
        self.wallClock = wallClock
        self.logger = logger
    }
}

/// The server's identity, as sent to clients.
package struct ServerIdentity: Sendable {
    let version: String
    /// An id that distinguishes this process from others.
    let node: String

    package init(version: String, node: String) {
        self.version = version
        self.node = node
    }
}
