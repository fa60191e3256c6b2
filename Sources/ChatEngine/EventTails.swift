import ChatModel
import Metrics
import Synchronization

/// Durable events as they happen, for people who look on: a tail that is slower than its queue is long misses some, hears
/// how many, and ends. It holds nobody up.
///
/// Told on the log's queue; the other doors are open to every queue.
package final class EventTails: Sendable {
    package struct Limits: Sendable, Equatable {
        /// At the same time.
        package var tails = 4
        /// Events that may wait for one tail, and their bytes.
        package var waitingEvents = 1_000
        package var waitingBytes = 4_194_304
        package init() {}
    }

    /// What a tail wants to hear; nil for all.
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
        open = Meter(label: "belfry_event_tails", factory: factory)
        slow = Counter(label: "belfry_event_tails_slow_total", factory: factory)
    }

    func tell(_ event: TappedEvent) {
        let slowNow = state.withLock { state in
            var slowNow = 0
            for (filter, listener) in state.tails.values where filter.admits(event) {
                // One that has ended stays for as long as somebody holds it, to count what it misses.
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
        return EventTail(listener) { [weak self] in self?.forget(id) }
    }

    private func forget(_ id: UInt64) {
        let tail = state.withLock { $0.tails.removeValue(forKey: id) }
        if tail != nil { open.decrement() }
    }

    /// Nothing follows: tails get what waits for them and then their end.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            for tail in state.tails.values { tail.listener.end(.stopped) }
        }
    }
}

/// A tail for as long as somebody holds it.
package final class EventTail: Sendable {
    package enum Step: Sendable {
        case event(TappedEvent)
        /// The last one: so many were missed until now.
        case missed(UInt64)
        /// The server has stopped.
        case ended
    }

    private let listener: EventListener
    private let forget: @Sendable () -> Void

    init(_ listener: EventListener, forget: @escaping @Sendable () -> Void) {
        self.listener = listener
        self.forget = forget
    }

    deinit { forget() }

    /// - Throws: `CancellationError`, and `EventListener.End.usedTwice` to two who ask at the same time.
    package func next() async throws -> Step {
        do {
            return try await listener.next().map(Step.event) ?? .ended
        } catch EventListener.End.tooSlow {
            return .missed(listener.missed)
        }
    }
}
