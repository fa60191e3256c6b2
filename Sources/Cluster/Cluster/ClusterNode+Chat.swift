import ChatEngine
import Replication
import Transport

extension ClusterNode {
    /// Begins to follow the log for a server's chat. The chat's engine has been restored from the journal and has joined
    /// this node.
    ///
    /// - Parameters:
    ///   - clock: Milliseconds since 1970.
    ///   - began: A term began, of this node or another, and the engine knows.
    package func start(
        _ chat: ChatServices, clock: @escaping @Sendable () -> Int64,
        began: @escaping @Sendable (LogTerm) -> Void = { _ in }
    ) {
        start(
            chat.engine,
            Services(
                execute: { command, remote in
                    chat.idempotency.execute(command, remote, by: chat.commands, at: clock())
                },
                hear: { chat.commands.hear($0) }, began: began, keep: { chat.idempotency.keep($0, at: clock()) },
                late: { chat.publisher.answerLate($0) }))
    }
}
