import API
import ChatEngine

/// The chat engine and related services.
package struct ChatServices: Sendable {
    package let engine: ChatEngine
    package let publisher: Publisher
    package let commands: CommandTable
    /// The answers to requests with an `Idempotency-Key`.
    let idempotency: IdempotentRequests

    package init(
        engine: ChatEngine, publisher: Publisher, commands: CommandTable, idempotency: IdempotentRequests
    ) {
        self.engine = engine
        self.publisher = publisher
        self.commands = commands
        self.idempotency = idempotency
    }
}
