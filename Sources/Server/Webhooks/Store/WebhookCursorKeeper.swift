import Dispatch
import Journal
import Synchronization

/// Persists each webhook's position after a short delay. After a crash, the webhook gets later events again.
final class WebhookCursorKeeper: Sendable {
    /// Wraps the closure, as in `DiskLog`.
    private struct Source: Sendable {
        let read: @Sendable () -> [String: UInt64]?
    }

    private struct State {
        var cursors: [String: UInt64]?
        var isScheduled = false
        var isOver = false
        var hasFailed = false
    }

    /// The delay before writing. Events delivered during it are delivered again after a crash.
    static let milliseconds = 100

    private let queue = DispatchQueue(label: "belfry.webhooks.cursors")
    private let store: WebhookStore
    private let state = Mutex(State())
    private let source = Mutex<Source?>(nil)
    private let failed: @Sendable (DiskError) -> Void

    /// - Parameter failed: Called for the first failed write, and again for the first failure after a success.
    init(_ store: WebhookStore, failed: @escaping @Sendable (DiskError) -> Void) {
        self.store = store
        self.failed = failed
    }

    /// - Parameter current: Returns each webhook's position, or `nil` when unknown. Called on `queue`.
    func setSource(_ current: @escaping @Sendable () -> [String: UInt64]?) {
        source.withLock { $0 = Source(read: current) }
    }

    /// Each webhook's position on disk; `nil` before the first write.
    var written: [String: UInt64]? { state.withLock(\.cursors) }

    /// Schedules a write after a webhook's position has changed.
    func scheduleWrite() {
        let mustSchedule = state.withLock { state in
            guard !state.isScheduled, !state.isOver else { return false }
            state.isScheduled = true
            return true
        }
        guard mustSchedule else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.milliseconds)) { self.write() }
    }

    /// Writes the positions and waits until they are on disk.
    func writeNow() { queue.sync { write() } }

    /// Writes the positions for the last time and waits until they are on disk.
    func finish() {
        queue.sync {
            write()
            state.withLock { $0.isOver = true }
        }
    }

    /// Writes the positions. Must run on `queue`.
    private func write() {
        let (before, isOver) = state.withLock { state in
            state.isScheduled = false
            return (state.cursors, state.isOver)
        }
        guard !isOver, let cursors = source.withLock(\.self)?.read(), cursors != before else { return }
        do throws(DiskError) {
            try store.write(cursors)
            state.withLock { state in
                state.cursors = cursors
                state.hasFailed = false
            }
        } catch {
            let isFirst = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            if isFirst { failed(error) }
        }
    }
}
