import Foundation

/// What a server uses, with all the processes it has started: some have one for the work and one that looks after it.
enum ProcessTree {
    /// CPU of all threads in nanoseconds, as the scheduler counts it: finer than the ticks of `/proc/<pid>/stat`.
    ///
    /// Threads that ended in between are lost; the servers compared here keep theirs.
    static func cpu(of pid: Int32) -> UInt64 {
        members(of: pid).reduce(0) { sum, pid in
            sum
                + names(in: "/proc/\(pid)/task").reduce(0) { sum, thread in
                    let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(thread)/schedstat", encoding: .utf8)
                    return sum + (text.flatMap { UInt64($0.prefix { $0 != " " }) } ?? 0)
                }
        }
    }

    /// Resident bytes.
    static func memory(of pid: Int32) -> Int {
        members(of: pid).reduce(0) { $0 + (ProcessTime.memory(of: $1)?.now ?? 0) }
    }

    private static func members(of pid: Int32) -> [Int32] {
        let children = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return [pid] + (children ?? "").split(separator: " ").compactMap { Int32($0) }.flatMap(members)
    }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}
