import ChatEngine
import Dispatch
import EventLoops
import MetricTable
import Metrics
import Transport

/// Samples queue lags and the process's resource usage once a second, until `stop` or until the last reference is
/// released.
///
/// `@unchecked` only because of the timer, which is only ever cancelled, from any thread. After `init`, the sampled
/// objects are confined to the queue `belfry.vitals`.
final class Vitals: @unchecked Sendable {
    private let timer: any DispatchSourceTimer

    init(
        loops: [EventLoop], servers: [LoopServer], chat: ChatServices, limits: SharedLimits,
        metrics factory: any MetricsFactory
    ) {
        var queues = loops.map { loop in
            (name: "loop.\(loop.index)", post: { @Sendable body in loop.post(body) } as QueueLags.Post)
        }
        queues.append(("chat", { chat.engine.runBetweenBatches($0) }))
        queues.append(("journal", { chat.publisher.barrier($0) }))
        let lags = QueueLags(queues, metrics: factory)
        let deliveries = zip(loops, servers).map { loop, server in
            let queue = [("queue", "loop.\(loop.index)")]
            return (gauge: Gauge(.deliveriesWaiting, factory, dimensions: queue), server: server)
        }
        let unreadBytes = Gauge(.unreadBytes, factory)
        let unfinishedBytes = Gauge(.unfinishedBytes, factory)
        let figures = ProcessFigures(factory)
        figures.sample()
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "belfry.vitals"))
        timer.schedule(deadline: .now(), repeating: .seconds(1), leeway: .milliseconds(50))
        timer.setEventHandler {
            lags.sample()
            figures.sample()
            unreadBytes.record(limits.unread.total)
            unfinishedBytes.record(limits.unfinished.total)
            for (gauge, server) in deliveries { gauge.record(server.waitingCount) }
        }
        timer.activate()
        self.timer = timer
    }

    deinit { timer.cancel() }

    func stop() { timer.cancel() }
}
