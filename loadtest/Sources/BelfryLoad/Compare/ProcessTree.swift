import Foundation

/// Measures the resources of a server and its child processes, as some servers have a supervisor and a worker.
enum ProcessTree {
    /// Returns the CPU time in seconds.
    static func cpu(of pid: Int32) -> Double {
        members(of: pid).reduce(0) { $0 + (ProcessTime.seconds(of: $1) ?? 0) }
    }

    /// Returns the resident bytes.
    static func memory(of pid: Int32) -> Int {
        members(of: pid).reduce(0) { $0 + (ProcessTime.memory(of: $1)?.now ?? 0) }
    }

    static func threads(of pid: Int32) -> Int {
        members(of: pid).reduce(0) { sum, pid in
            sum + ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task"))?.count ?? 0)
        }
    }

    private static func members(of pid: Int32) -> [Int32] {
        let children = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return [pid] + (children ?? "").split(separator: " ").compactMap { Int32($0) }.flatMap(members)
    }
}
