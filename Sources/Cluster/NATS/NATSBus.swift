#if Cluster
import Replication

/// The bus of a cluster on NATS subjects that begin with its name and the incarnation of its log. All callbacks run on the connection's queue.
package final class NATSBus: Bus {
    private let connection: NATSConnection
    private let prefix: String

    /// - Parameter incarnation: Nodes of other incarnations are not heard. Nil for a listener that hears all of them.
    /// - Throws: `NATSError.invalidName`.
    package init(_ connection: NATSConnection, cluster: String, incarnation: UInt64?) throws(NATSError) {
        try StreamSettings.check(cluster)
        self.connection = connection
        prefix = "belfry.\(cluster).\(incarnation.map(String.init) ?? "*").bus."
    }

    package func publish(_ message: [UInt8], to subject: String) {
        connection.publish(NATSPublication(subject: prefix + subject, bytes: message))
    }

    package func serve(
        _ subject: String,
        _ receive: @escaping @Sendable (_ message: [UInt8], _ reply: (@Sendable ([UInt8]) -> Void)?) -> Void
    ) -> any BusSubscription {
        let id = connection.subscribe(prefix + subject) { [connection] message in
            guard let sender = message.reply else { return receive(message.bytes, nil) }
            receive(message.bytes) { connection.publish(NATSPublication(subject: sender, bytes: $0)) }
        }
        return Subscription(connection, id)
    }

    package func request(
        _ message: [UInt8], to subject: String, milliseconds: Int, _ done: @escaping @Sendable (BusReply) -> Void
    ) {
        let publication = NATSPublication(subject: prefix + subject, bytes: message)
        connection.request(publication, milliseconds: milliseconds) { reply in
            switch reply {
            case .message(let message): done(.reply(message.bytes))
            case .nobody: done(.nobody)
            case .silence, .disconnected, .full, .tooLarge: done(.silence)
            }
            return false
        }
    }

    private final class Subscription: BusSubscription {
        private let connection: NATSConnection
        private let id: Int

        init(_ connection: NATSConnection, _ id: Int) {
            self.connection = connection
            self.id = id
        }

        deinit { connection.unsubscribe(id) }
    }
}
#endif
