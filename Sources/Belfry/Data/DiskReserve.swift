import Dispatch
import Glibc
import Logging
import Metrics
import Synchronization

/// Looks once a second how much room the file system of the data folder has. Below twice the reserve uploads are refused,
/// below it every change, both with 1040, until there is room again: a full disk stops snapshots, logs and whoever else
/// uses it, and what was kept free helps to make room.
///
/// Unchecked because of the timer alone, which is told to end and nothing else, as may be from everywhere. The rest is
/// used on the queue `belfry.disk` only.
final class DiskReserve: @unchecked Sendable {
    enum Level: Int, Sendable {
        case enough, noUploads, noChanges
    }

    /// Of the file system; a greater reserve is cut to it, so that one setting does for large disks and small.
    static let largestPart: UInt64 = 20

    private let timer: any DispatchSourceTimer

    /// - Parameters:
    ///   - reserve: Bytes; 0 for none.
    ///   - changed: Told the level at once, and whenever it is another.
    init(
        _ path: String, reserve: Int, metrics factory: any MetricsFactory, logger: Logger,
        changed: @escaping @Sendable (Level) -> Void
    ) {
        let free = Gauge(label: "belfry_disk_free_bytes", factory: factory)
        let short = Gauge(label: "belfry_disk_short", factory: factory)
        let last = Mutex<Level?>(nil)
        let look: @Sendable () -> Void = {
            // Without an answer it stays as it was: reads and writes tell what is the matter.
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
                level: level == .enough ? .notice : .warning, "disk space",
                metadata: ["level": "\(level)", "free_bytes": "\(space.free)"])
        }
        look()
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "belfry.disk"))
        timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1), leeway: .milliseconds(50))
        timer.setEventHandler(handler: look)
        timer.activate()
    }

    deinit { timer.cancel() }

    func stop() { timer.cancel() }

    static func level(free: UInt64, capacity: UInt64, reserve: Int) -> Level {
        let reserve = min(UInt64(clamping: reserve), capacity / largestPart)
        if free < reserve { return .noChanges }
        return free < 2 * reserve ? .noUploads : .enough
    }

    private static func space(_ path: String) -> (free: UInt64, capacity: UInt64)? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let block = UInt64(status.f_frsize)
        return (UInt64(status.f_bavail) &* block, UInt64(status.f_blocks) &* block)
    }
}
