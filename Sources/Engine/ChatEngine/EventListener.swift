import ChatModel
import DequeModule
import Synchronization

/// An event's position in the journal, and so in the server's total order.
package struct JournalPosition: Hashable, Comparable, Sendable {
    /// The number of the command's frame, counted from 1.
    package let frame: UInt64
    /// The index among the events that the frame announces, counted from 0.
    package var index: UInt32

    package init(frame: UInt64, index: UInt32) {
        self.frame = frame
        self.index = index
    }

    package static func < (a: Self, b: Self) -> Bool { (a.frame, a.index) < (b.frame, b.index) }
}

/// A durable event in the form used outside of rooms.
package struct TappedEvent: Sendable {
    package let position: JournalPosition
    /// The first of the rooms that receive it; `offset` is the event's offset there.
    package let room: Room
    package let offset: UInt64
    package let type: EventType
    /// Milliseconds since 1970.
    package let at: Int64
    /// The complete JSON form, as members receive it.
    package let json: [UInt8]
}

/// The queue of one listener, and the reason that ends it.
package final class EventListener: Sendable {
    package enum End: Error, Equatable, Sendable {
        case stopped
        case storageFailed
        /// The queue was full.
        case tooSlow
        /// Two tasks asked for the next event at the same time.
        case usedTwice
    }

    private struct State {
        var waiting: Deque<TappedEvent>
        var bytes: Int
        var end: End?
        /// How many events did not fit, counted from the one that ended the listener.
        var missed: UInt64 = 0
        var reader: CheckedContinuation<TappedEvent?, any Error>?
    }

    private let state: Mutex<State>
    private let events: Int
    private let bytes: Int

    /// - Parameter missed: Events to deliver first; they do not count against the queue's limits.
    init(_ missed: Deque<TappedEvent>, events: Int, bytes: Int, ending: End?) {
        let missedBytes = missed.reduce(0) { $0 + $1.json.count }
        self.events = missed.count + events
        self.bytes = missedBytes + bytes
        state = Mutex(State(waiting: missed, bytes: missedBytes, end: ending))
    }

    /// - Returns: False if the event was not accepted; no later event will be either.
    func offer(_ event: TappedEvent) -> Bool {
        let (reader, isAccepted) = state.withLock { state -> (CheckedContinuation<TappedEvent?, any Error>?, Bool) in
            guard state.end == nil else {
                if state.end == .tooSlow { state.missed += 1 }
                return (nil, false)
            }
            if let reader = state.reader {
                state.reader = nil
                return (reader, true)
            }
            guard state.waiting.count < events, state.bytes + event.json.count <= bytes else {
                state.end = .tooSlow
                state.missed = 1
                return (nil, false)
            }
            state.waiting.append(event)
            state.bytes += event.json.count
            return (nil, true)
        }
        reader?.resume(returning: event)
        return isAccepted
    }

    /// Events offered but not accepted because the listener was too slow.
    var missed: UInt64 { state.withLock(\.missed) }

    func end(_ end: End) {
        let (reader, end) = state.withLock { state in
            let ending = state.end ?? end
            state.end = ending
            defer { state.reader = nil }
            return (state.reader, ending)
        }
        if let reader { Self.resume(reader, with: end) }
    }

    private static func resume(_ reader: CheckedContinuation<TappedEvent?, any Error>, with end: End) {
        if end == .stopped { reader.resume(returning: nil) } else { reader.resume(throwing: end) }
    }

    /// - Returns: The next event; `nil` after the last event of a server that stopped in an orderly way.
    /// - Throws: `End`, once every earlier event was delivered; `CancellationError`.
    package func next() async throws -> TappedEvent? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = Task.isCancelled
                let (event, end) = state.withLock { state -> (TappedEvent?, End?) in
                    if let event = state.waiting.popFirst() {
                        state.bytes -= event.json.count
                        return (event, nil)
                    }
                    if let end = state.end { return (nil, end) }
                    if state.reader != nil { return (nil, .usedTwice) }
                    if !isCancelled { state.reader = continuation }
                    return (nil, nil)
                }
                if let event { return continuation.resume(returning: event) }
                if let end { return Self.resume(continuation, with: end) }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(throwing: CancellationError())
        }
    }
}

/// Keeps a listener registered until it is deallocated.
package final class EventSubscription: Sendable {
    package let listener: EventListener
    private let unregister: @Sendable () -> Void

    init(_ listener: EventListener, unregister: @escaping @Sendable () -> Void) {
        self.listener = listener
        self.unregister = unregister
    }

    deinit { unregister() }
}
