import Foundation
import Glibc

/// CPU time that a process has used, user and system together.
enum ProcessTime {
    /// - Returns: Seconds; nil when there is no such process to be seen.
    static func seconds(of pid: Int32) -> Double? {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let ticks = ticks(in: stat)
        else { return nil }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// `utime` and `stime`, fields 14 and 15. proc_pid_stat(5): the name in field 2 may hold anything, also `)`.
    static func ticks(in stat: String) -> Int? {
        guard let name = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: name)...].split(separator: " ")
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return nil }
        return user + system
    }

    /// Resident memory in bytes, and its highest so far.
    static func memory(of pid: Int32) -> (now: Int, peak: Int)? {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
        func kilobytes(_ name: String) -> Int? {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first }.flatMap { Int($0) }
        }
        guard let now = kilobytes("VmRSS"), let peak = kilobytes("VmHWM") else { return nil }
        return (now * 1_024, peak * 1_024)
    }
}

/// The monotonic clock, in nanoseconds.
enum Clock {
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Blocks the calling thread until then; returns at once when it is past.
    static func sleep(until instant: UInt64) {
        var time = timespec(tv_sec: Int(instant / 1_000_000_000), tv_nsec: Int(instant % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
    }
}

/// Descriptors that this process may open.
enum FileLimit {
    /// - Throws: `LoadError` when there are not as many.
    static func require(_ count: Int) throws {
        let limit = raise()
        guard count <= limit else {
            throw LoadError("\(count) descriptors are needed and this process may open \(limit): raise `ulimit -n`")
        }
    }

    /// Raises the soft limit to the hard one.
    private static func raise() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }
}
