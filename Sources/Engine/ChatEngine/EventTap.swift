import ChatDomain
import ChatModel
import DequeModule
import MetricTable
import Metrics
import Synchronization

/// Delivers every durable event to listeners inside the process, in journal order, and keeps the latest events for
/// listeners that resume.
///
/// Called on the log's queue and never blocks it: a listener that falls behind by more than its queue is ended.
package final class EventTap: Sendable {
    package struct Limits: Sendable, Equatable {
        /// How many events are kept for listeners that resume from a position.
        package var keptEvents = 0
        package var keptBytes = 16_777_216
        /// The largest number of events that may wait for one listener.
        package var waitingEvents = 10_000
        package var waitingBytes = 16_777_216
        package var listeners = 16
        package var tails = EventTails.Limits()
        package init() {}
    }

    private struct State {
        var kept: Deque<TappedEvent> = []
        var keptBytes = 0
        /// Every event after this position is kept.
        var floor = JournalPosition(frame: 0, index: .max)
        /// The position of the latest event.
        var last = JournalPosition(frame: 0, index: .max)
        var listeners: [UInt64: EventListener] = [:]
        var serial: UInt64 = 0
        var ending: EventListener.End?
    }

    private let state = Mutex(State())
    private let limits: Limits
    private let listening: Meter
    private let slow: Counter
    /// Observers that tolerate gaps.
    package let tails: EventTails

    package init(_ limits: Limits, metrics factory: any MetricsFactory) {
        self.limits = limits
        tails = EventTails(limits.tails, metrics: factory)
        listening = Meter(.eventListeners, factory)
        slow = Counter(.eventListenersSlow, factory)
    }

    // MARK: On the log's queue

    /// Starts after this frame: events in earlier frames are not delivered again.
    func begin(after frame: UInt64) {
        state.withLock { state in
            state.floor = JournalPosition(frame: frame, index: .max)
            state.last = state.floor
        }
    }

    func publish(_ announcement: Announcement, _ json: [UInt8], at position: JournalPosition) {
        guard let place = announcement.positions.first else { return }
        let event = TappedEvent(
            position: position, room: place.room, offset: place.offset, type: announcement.event.type,
            at: announcement.event.at, json: json)
        let ended = state.withLock { state in
            state.last = position
            keep(event, &state)
            let slow = state.listeners.filter { !$0.value.offer(event) }
            for id in slow.keys { state.listeners[id] = nil }
            return slow.count
        }
        tails.publish(event)
        guard ended > 0 else { return }
        slow.increment(by: ended)
        listening.decrement(by: Double(ended))
    }

    /// Whether events are kept for listeners that resume.
    var keepsEvents: Bool { limits.keptEvents > 0 }

    /// Skips an event from before a restart, without delivering it.
    func skip(_ position: JournalPosition) {
        state.withLock { ($0.floor, $0.last) = (position, position) }
    }

    private func keep(_ event: TappedEvent, _ state: inout State) {
        guard limits.keptEvents > 0 else { return state.floor = event.position }
        state.kept.append(event)
        state.keptBytes += event.json.count
        while state.kept.count > limits.keptEvents || state.keptBytes > limits.keptBytes {
            guard let first = state.kept.popFirst() else { return }
            state.keptBytes -= first.json.count
            state.floor = first.position
        }
    }

    // MARK: Callable from any queue

    package enum Refusal: Error, Equatable, Sendable {
        case tooManyListeners
        /// The events after the position are no longer kept, or the position was never issued here.
        case positionLost
    }

    /// - Parameter position: The last event that the listener received; `nil` to start with the next event.
    package func listen(from position: JournalPosition?) throws(Refusal) -> EventSubscription {
        let result = state.withLock { state -> Result<(UInt64, EventListener), Refusal> in
            guard state.listeners.count < limits.listeners else { return .failure(.tooManyListeners) }
            var missed: Deque<TappedEvent> = []
            if let position {
                guard position >= state.floor || position == state.last, position <= state.last else {
                    return .failure(.positionLost)
                }
                missed = state.kept
                missed.removeAll { $0.position <= position }
            }
            let listener = EventListener(
                missed, events: limits.waitingEvents, bytes: limits.waitingBytes, ending: state.ending)
            state.serial += 1
            state.listeners[state.serial] = listener
            return .success((state.serial, listener))
        }
        let (id, listener) = try result.get()
        listening.increment()
        return EventSubscription(listener) { [weak self] in self?.remove(id) }
    }

    private func remove(_ id: UInt64) {
        let wasRegistered = state.withLock { $0.listeners.removeValue(forKey: id) != nil }
        if wasRegistered { listening.decrement() }
    }

    /// Closes every listener: each delivers the events already queued, and then ends.
    package func close(_ end: EventListener.End) {
        tails.close()
        state.withLock { state in
            state.ending = state.ending ?? end
            for listener in state.listeners.values { listener.end(end) }
        }
    }
}
