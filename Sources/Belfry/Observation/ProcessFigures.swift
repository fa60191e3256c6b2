import EventLoops
import Glibc
import MetricTable
import Metrics

/// The process's resource usage, under the standard Prometheus names.
///
/// Used from one queue at a time.
struct ProcessFigures: Sendable {
    private let resident: Gauge
    private let descriptors: Gauge

    init(_ factory: any MetricsFactory) {
        resident = Gauge(.processResidentMemoryBytes, factory)
        descriptors = Gauge(.processOpenFDs, factory)
        Gauge(.processMaxFDs, factory).record(Sockets.raiseFileLimit())
        if let start = Self.startSeconds() {
            Gauge(.processStartTimeSeconds, factory).record(start)
        }
        let build = [("version", Version.number), ("commit", Version.commit)]
        Gauge(.buildInfo, factory, dimensions: build).record(1)
    }

    func sample() {
        if let bytes = Self.residentBytes() { resident.record(bytes) }
        if let count = Self.openDescriptors() { descriptors.record(count) }
    }

    /// Returns the second number of `statm`, which is in pages, as bytes. proc(5)
    static func residentBytes() -> Int? {
        let numbers = read("/proc/self/statm")?.split(separator: " ") ?? []
        guard numbers.count > 1, let pages = Int(numbers[1]) else { return nil }
        return pages.multipliedReportingOverflow(by: Int(sysconf(Int32(_SC_PAGESIZE)))).partialValue
    }

    /// Since Linux 6.2, the size of the directory is the count. On earlier kernels, count the entries.
    static func openDescriptors() -> Int? {
        var status = stat()
        guard stat("/proc/self/fd", &status) == 0 else { return nil }
        if status.st_size > 0 { return Int(status.st_size) }
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Subtract `.`, `..` and the descriptor of this listing.
        return max(0, count - 3)
    }

    /// Returns seconds since 1970, computed from field 22 of `stat`, which is in ticks since boot. proc(5)
    static func startSeconds() -> Double? {
        // The second field is the program's name, which may contain any character.
        guard let fields = read("/proc/self/stat")?.split(separator: ")").last?.split(separator: " "),
            fields.count > 19, let ticks = Double(fields[19])
        else { return nil }
        var (now, sinceBoot) = (timespec(), timespec())
        clock_gettime(CLOCK_REALTIME, &now)
        clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
        let boot = Double(now.tv_sec - sinceBoot.tv_sec) + Double(now.tv_nsec - sinceBoot.tv_nsec) / 1e9
        return boot + ticks / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }

    /// Returns the first 4,096 bytes of a kernel file.
    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
