import Foundation
import Glibc

/// The resource usage of a process: CPU time (user and system together), memory, descriptors.
enum ProcessTime {
    /// Returns the user and system time of all its threads, including ended ones, as counted by the scheduler, which is
    /// finer than the ticks of `/proc/<pid>/stat`. See clock_getcpuclockid(3).
    ///
    /// - Returns: Seconds; nil if there is no such process.
    static func seconds(of pid: Int32) -> Double? {
        var (clock, time) = (clockid_t(), timespec())
        // 0 would mean this process.
        guard pid > 0, clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns the resident memory and its peak, in bytes.
    static func memory(of pid: Int32) -> (now: Int, peak: Int)? {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
        func kilobytes(_ name: String) -> Int? {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first }.flatMap { Int($0) }
        }
        guard let now = kilobytes("VmRSS"), let peak = kilobytes("VmHWM") else { return nil }
        return (now * 1_024, peak * 1_024)
    }

    /// Resets the memory peak to the current value. See proc_pid_clear_refs(5), value 5.
    ///
    /// - Returns: False for another user's process, or in a container that does not allow it.
    static func resetPeak(of pid: Int32) -> Bool {
        guard let file = FileHandle(forWritingAtPath: "/proc/\(pid)/clear_refs") else { return false }
        return (try? file.write(contentsOf: Data("5\n".utf8))) != nil
    }

    /// Returns the number of open descriptors; nil if unknown.
    static func descriptors(of pid: Int32) -> Int? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd"))?.count
    }
}
