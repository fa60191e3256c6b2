import Foundation
import Glibc
import LoadReport

extension Machine {
    /// What this process runs on, and how quiet it is there now. Takes up to half a second.
    static func current(noise: Double = Noise.reading()) -> Machine {
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let release = try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
        return Machine(
            processor: processor(in: information) ?? "unknown processor",
            // Those that this process may use: a container's share can be smaller than the machine.
            cores: ProcessInfo.processInfo.activeProcessorCount,
            memory: Int(clamping: ProcessInfo.processInfo.physicalMemory),
            kernel: "Linux " + (release?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "?"), noise: noise,
            isVirtual: information.isEmpty ? nil : isVirtual(information),
            fileSystem: (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)).flatMap {
                fileSystem(of: FileManager.default.temporaryDirectory.path, mounts: $0)
            })
    }

    /// Whether `/proc/cpuinfo` says that a host stands between this system and the processor.
    static func isVirtual(_ information: String) -> Bool {
        information.split(separator: "\n").contains { line in
            line.hasPrefix("flags") && line.split(whereSeparator: \.isWhitespace).contains("hypervisor")
        }
    }

    /// What is mounted nearest above an absolute path, by the lines of `/proc/self/mounts`.
    static func fileSystem(of path: String, mounts: String) -> String? {
        var nearest: (point: Substring, kind: Substring)?
        for line in mounts.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 2 else { continue }
            let point = words[1]
            guard point == "/" || path == point || path.hasPrefix(point + "/") else { continue }
            // What was mounted later covers what was there.
            if point.count >= nearest?.point.count ?? 0 { nearest = (point, words[2]) }
        }
        return nearest.map { String($0.kind) }
    }

    /// The first processor's name in `/proc/cpuinfo`.
    static func processor(in information: String) -> String? {
        for line in information.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if parts.count == 2, parts[0] == "model name", !parts[1].isEmpty { return parts[1] }
        }
        return nil
    }
}

extension ReportBook {
    /// Whether this program was built without optimisation.
    static var isDebugHere: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }
}

/// How evenly the machine works: others on it take time that a measurement then lacks.
enum Noise {
    /// The same piece of work, 20 times: the slowest by the fastest. Pure arithmetic in one register, which neither
    /// memory nor the kernel can slow down.
    static func reading() -> Double {
        let steps = iterations(lasting: 10_000_000)
        var times: [UInt64] = []
        let end = Clock.now + 400_000_000
        while times.count < 20, times.count < 2 || Clock.now < end { times.append(time(steps)) }
        return ratio(times)
    }

    static func ratio(_ times: [UInt64]) -> Double {
        guard let least = times.min(), let greatest = times.max(), least > 0 else { return 1 }
        return Double(greatest) / Double(least)
    }

    /// How much work takes about so many nanoseconds here.
    fileprivate static func iterations(lasting nanoseconds: UInt64) -> Int {
        var count = 10_000
        while count < 1 << 30, time(count) < nanoseconds / 2 { count *= 2 }
        return count
    }

    /// Nanoseconds for so many steps of a generator, each of which needs the one before.
    fileprivate static func time(_ steps: Int) -> UInt64 {
        let start = Clock.now
        var value = start | 1
        for _ in 0..<steps {
            value ^= value << 13
            value ^= value >> 7
            value ^= value << 17
        }
        withExtendedLifetime(value) {}
        return keep(value) ? Clock.now - start : 0
    }

    /// Whether it is not zero, which it never is; the optimiser does not know.
    @inline(never)
    private static func keep(_ value: UInt64) -> Bool { value != 0 }
}

/// The machine's noise again and again during a run. Each reading is held against the fastest time of all of them, so that a
/// machine that was slow all through one of them shows there.
struct NoiseLog {
    private let steps = Noise.iterations(lasting: 10_000_000)
    private var readings: [[UInt64]] = []

    /// Takes about 50 ms.
    mutating func take() { readings.append((0..<5).map { _ in Noise.time(steps) }) }

    /// One for each time it was taken: its slowest by the fastest of all.
    var ratios: [Double] { Self.ratios(readings) }

    static func ratios(_ readings: [[UInt64]]) -> [Double] {
        let fastest = readings.joined().min()
        return readings.map { reading in Noise.ratio(reading + [fastest].compactMap { $0 }) }
    }
}
