#if Cluster
import CoreMetrics
import Dispatch
import Logging
import MetricTable
import Metrics
import NATS
import Synchronization

/// Reports the state of the connection to NATS in logs and metrics.
final class NATSState: Sendable {
    struct Failure: Sendable {
        /// Nil before the first attempt has ended.
        let error: NATSError?
        /// Whether waiting is useless.
        let isLasting: Bool
    }

    /// How long a server may refuse a connection for a reason that an operator must remove, in nanoseconds. One that is
    /// stopping may cause it, too.
    private static let patienceNanoseconds: UInt64 = 1_500_000_000

    private let current = Mutex<(state: NATSConnection.State?, since: UInt64)>((nil, 0))
    private let logger: Logger
    private let connected: Gauge
    private let disconnects: Counter
    private let dropped: [NATSConnection.Direction: Counter]

    init(_ logger: Logger, _ factory: any MetricsFactory) {
        self.logger = logger
        connected = Gauge(.natsConnected, factory)
        disconnects = Counter(.natsDisconnects, factory)
        let counters = NATSConnection.Direction.allCases.map { direction in
            (direction, Counter(.natsMessagesDropped, factory, dimensions: [("direction", direction.rawValue)]))
        }
        dropped = Dictionary(uniqueKeysWithValues: counters)
        connected.record(0)
    }

    func record(dropped direction: NATSConnection.Direction) { dropped[direction]?.increment() }

    func record(_ state: NATSConnection.State) {
        let previous = current.withLock { current in
            defer { current = (state, DispatchTime.now().uptimeNanoseconds) }
            return current.state
        }
        if case .connected? = previous, state != .closed { disconnects.increment() }
        switch state {
        case .connected(let server):
            connected.record(1)
            logger.notice("connected to NATS", metadata: ["server": "\(server)"])
        case .reconnecting(let error):
            connected.record(0)
            logger.warning("no connection to NATS", metadata: ["error": "\(error)"])
        case .closed: connected.record(0)
        }
    }

    /// - Returns: Nil while connected.
    func failure(at now: UInt64) -> Failure? {
        let (state, since) = current.withLock { $0 }
        switch state {
        case .connected: return nil
        case .reconnecting(let error):
            let isLasting = error.needsOperator && now >= since + Self.patienceNanoseconds
            return Failure(error: error, isLasting: isLasting)
        case nil, .closed: return Failure(error: nil, isLasting: false)
        }
    }
}

extension NATSError {
    fileprivate var needsOperator: Bool {
        switch self {
        case .wrongCredentials, .wrongCertificate, .unreadable: true
        default: false
        }
    }
}
#endif
