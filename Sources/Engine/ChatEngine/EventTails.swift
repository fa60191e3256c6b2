import ChatModel
import MetricTable
import Metrics
import Synchronization

/// Streams durable events to observers as they happen. A tail that falls behind by more than its queue misses events,
/// learns how many, and ends. Tails never delay anyone else.
///
/// `publish` is called on the log's queue; the other methods may be called from any queue.
package final class EventTails: Sendable {
    package struct Limits: Sendable, Equatable {
        /// The largest number of tails open at the same time.
        package var tails = 4
        /// The largest number of events that may wait for one tail, and their size in bytes.
        package var waitingEvents = 1_000
        package var waitingBytes = 4_194_304
        package init() {}
    }

    /// Selects the events of a tail; `nil` matches all.
    package struct Filter: Sendable {
        package var channel: ChannelID?
        package var type: EventType?
        package init() {}

        func admits(_ event: TappedEvent) -> Bool {
            if let type, event.type != type { return false }
            return channel.map { event.room == .channel($0) } ?? true
        }
    }

    package enum Refusal: Error, Equatable, Sendable {
        case tooManyTails
    }

    private struct State {
        var tails: [UInt64: (filter: Filter, listener: EventListener)] = [:]
        var serial: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let limits: Limits
    private let open: Meter
    private let slow: Counter

    init(_ limits: Limits, metrics factory: any MetricsFactory) {
        self.limits = limits
        open = Meter(.eventTails, factory)
        slow = Counter(.eventTailsSlow, factory)
    }

    func publish(_ event: TappedEvent) {
        let slowNow = state.withLock { state in
            var slowNow = 0
            for (filter, listener) in state.tails.values where filter.admits(event) {
                // A tail that has ended stays registered while it is referenced, to count the events it misses.
                if !listener.offer(event), listener.missed == 1 { slowNow += 1 }
            }
            return slowNow
        }
        if slowNow > 0 { slow.increment(by: slowNow) }
    }

    package func tail(_ filter: Filter) throws(Refusal) -> EventTail {
        let opened = state.withLock { state -> (id: UInt64, listener: EventListener)? in
            guard state.tails.count < limits.tails else { return nil }
            let listener = EventListener(
                [], events: limits.waitingEvents, bytes: limits.waitingBytes, ending: state.isClosed ? .stopped : nil)
            state.serial += 1
            state.tails[state.serial] = (filter, listener)
            return (state.serial, listener)
        }
        guard let (id, listener) = opened else { throw .tooManyTails }
        open.increment()
        return EventTail(listener) { [weak self] in self?.remove(id) }
    }

    private func remove(_ id: UInt64) {
        let tail = state.withLock { $0.tails.removeValue(forKey: id) }
        if tail != nil { open.decrement() }
    }

    /// Closes every tail: each delivers the events already queued, and then ends.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            for tail in state.tails.values { tail.listener.end(.stopped) }
        }
    }
}

/// Keeps a tail registered until it is deallocated.
package final class EventTail: Sendable {
    package enum Step: Sendable {
        case event(TappedEvent)
        /// The last step: the number of events missed so far.
        case missed(UInt64)
        /// The server has stopped.
        case ended
    }

    private let listener: EventListener
    private let unregister: @Sendable () -> Void

    init(_ listener: EventListener, unregister: @escaping @Sendable () -> Void) {
        self.listener = listener
        self.unregister = unregister
    }

    deinit { unregister() }

    /// - Throws: `CancellationError`; `EventListener.End.usedTwice` if two tasks call it at the same time.
    package func next() async throws -> Step {
        do {
            return try await listener.next().map(Step.event) ?? .ended
        } catch EventListener.End.tooSlow {
            return .missed(listener.missed)
        }
    }
}
