import Dispatch
import Glibc
import Journal
import Logging
import MetricTable
import Metrics
import Synchronization

/// Checks the free space on the data folder's file system once a second. Below twice the reserve, the server refuses
/// uploads; below the reserve, users' changes; below three quarters of it, also changes by server keys. All fail with
/// 1040 until space is available again. A full disk would also stop snapshots, logs and other programs. The reserve
/// leaves operators and the app's backend room to clean up.
///
/// Unchecked only because of the timer, which any thread may cancel and nothing else changes. Everything else is
/// confined to the queue `belfry.disk`.
final class DiskReserve: @unchecked Sendable {
    enum Level: Int, Sendable {
        case enough, noUploads, noUserChanges, noChanges

        /// The callers whose changes are refused.
        var suspendedCallers: SuspendedCallers {
            switch self {
            case .enough, .noUploads: .nobody
            case .noUserChanges: .users
            case .noChanges: .everybody
            }
        }
    }

    /// The reserve is at most this fraction (1/20) of the file system, so that one setting suits large and small disks.
    static let largestPart: UInt64 = 20

    private let timer: any DispatchSourceTimer

    /// - Parameters:
    ///   - reserve: In bytes; 0 disables the check.
    ///   - changed: Called with the level immediately, and whenever it changes.
    init(
        _ path: String, reserve: Int, metrics factory: any MetricsFactory, logger: Logger,
        changed: @escaping @Sendable (Level) -> Void
    ) {
        let free = Gauge(.diskFreeBytes, factory)
        let short = Gauge(.diskShort, factory)
        let last = Mutex<Level?>(nil)
        let check: @Sendable () -> Void = {
            // If the check fails, keep the level: reads and writes will report the problem.
            guard let space = DiskReserve.space(path) else { return }
            free.record(space.free)
            let level = DiskReserve.level(free: space.free, capacity: space.capacity, reserve: reserve)
            let before = last.withLock { last in
                defer { last = level }
                return last
            }
            guard before != level else { return }
            short.record(level.rawValue)
            changed(level)
            guard before != nil || level != .enough else { return }
            logger.log(
                level: level == .enough ? .notice : .warning, "free disk space changed",
                metadata: ["level": "\(level)", "free_bytes": "\(space.free)"])
        }
        check()
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "belfry.disk"))
        timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1), leeway: .milliseconds(50))
        timer.setEventHandler(handler: check)
        timer.activate()
    }

    deinit { timer.cancel() }

    func stop() { timer.cancel() }

    static func level(free: UInt64, capacity: UInt64, reserve: Int) -> Level {
        let reserve = min(UInt64(clamping: reserve), capacity / largestPart)
        if free < reserve - reserve / 4 { return .noChanges }
        if free < reserve { return .noUserChanges }
        return free < 2 * reserve ? .noUploads : .enough
    }

    private static func space(_ path: String) -> (free: UInt64, capacity: UInt64)? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let block = UInt64(status.f_frsize)
        return (UInt64(status.f_bavail) &* block, UInt64(status.f_blocks) &* block)
    }
}
