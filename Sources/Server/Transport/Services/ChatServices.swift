import API
import ChatEngine

/// The chat engine and related services.
package struct ChatServices: Sendable {
    package let engine: ChatEngine
    package let publisher: Publisher
    package let commands: CommandTable
    /// The answers to requests with an `Idempotency-Key`.
    package let idempotency: IdempotentRequests
    /// Whether other nodes share the chat.
    let isClustered: Bool

    package init(
        engine: ChatEngine, publisher: Publisher, commands: CommandTable, idempotency: IdempotentRequests,
        isClustered: Bool = false
    ) {
        self.engine = engine
        self.publisher = publisher
        self.commands = commands
        self.idempotency = idempotency
        self.isClustered = isClustered
    }
}
