import Foundation
import Glibc
import LoadReport

extension Machine {
    /// Returns the machine that this process runs on, with its current noise. Takes up to half a second.
    static func current(noise: Double = Noise.reading()) -> Machine {
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let release = try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
        return Machine(
            processor: processor(in: information) ?? "unknown processor",
            // The cores available to this process; a container may have fewer than the machine.
            cores: ProcessInfo.processInfo.activeProcessorCount,
            memory: Int(clamping: ProcessInfo.processInfo.physicalMemory),
            kernel: "Linux " + (release?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "?"), noise: noise,
            isVirtual: information.isEmpty ? nil : isVirtual(information),
            fileSystem: (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)).flatMap {
                fileSystem(of: FileManager.default.temporaryDirectory.path, mounts: $0)
            })
    }

    /// Returns whether `/proc/cpuinfo` reports a hypervisor.
    static func isVirtual(_ information: String) -> Bool {
        information.split(separator: "\n").contains { line in
            line.hasPrefix("flags") && line.split(whereSeparator: \.isWhitespace).contains("hypervisor")
        }
    }

    /// Returns the type of the file system that contains an absolute path, according to `/proc/self/mounts`.
    static func fileSystem(of path: String, mounts: String) -> String? {
        var nearest: (point: Substring, kind: Substring)?
        for line in mounts.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 2 else { continue }
            let point = words[1]
            guard point == "/" || path == point || path.hasPrefix(point + "/") else { continue }
            // A later mount covers earlier ones.
            if point.count >= nearest?.point.count ?? 0 { nearest = (point, words[2]) }
        }
        return nearest.map { String($0.kind) }
    }

    /// Returns the first processor's name in `/proc/cpuinfo`.
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

/// A measure of how evenly the machine runs: other work takes time away from a measurement.
enum Noise {
    /// Times the same work 20 times and divides the slowest time by the fastest. The work is arithmetic in one
    /// register, which neither memory nor the kernel slows down.
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

    /// Returns the number of steps that take about this many nanoseconds.
    fileprivate static func iterations(lasting nanoseconds: UInt64) -> Int {
        var count = 10_000
        while count < 1 << 30, time(count) < nanoseconds / 2 { count *= 2 }
        return count
    }

    /// Returns the nanoseconds for this many steps of a generator, each of which depends on the previous one.
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

    /// Keeps the optimizer from removing the work. Always true, because the value is never zero.
    @inline(never)
    private static func keep(_ value: UInt64) -> Bool { value != 0 }
}

/// Repeated measurements of the machine's noise during a run. Each reading is compared with the fastest time of all
/// readings, which also reveals a reading during which the machine was slow throughout.
struct NoiseLog {
    private let steps = Noise.iterations(lasting: 10_000_000)
    private var readings: [[UInt64]] = []

    /// Records a reading, which takes about 50 ms.
    mutating func record() { readings.append((0..<5).map { _ in Noise.time(steps) }) }

    /// The slowest time of each reading divided by the fastest of all.
    var ratios: [Double] { Self.ratios(readings) }

    static func ratios(_ readings: [[UInt64]]) -> [Double] {
        let fastest = readings.joined().min()
        return readings.map { reading in Noise.ratio(reading + [fastest].compactMap { $0 }) }
    }
}
