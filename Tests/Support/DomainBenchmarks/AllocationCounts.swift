import Foundation
import Workloads

/// The number of allocations per workload, as counted by a preloaded `Tests/allocations/counter.c`:
///
///     LD_PRELOAD=counter.so BELFRY_ALLOCATIONS=FILE DomainBenchmarks allocations
///
/// Prints a JSON object with the allocations per unit of each workload, averaged over many units after warming up.
enum AllocationCounts {
    static func measure() throws {
        guard let counter = AllocationCounter() else {
            FileHandle.standardError.write(Data("the counter is not loaded\n".utf8))
            exit(2)
        }
        var counts: [String: Double] = [:]
        for workload in Workload.all {
            let unit = try workload.prepare()
            for _ in 0..<warmup { try unit() }
            let before = counter.count
            for _ in 0..<units { try unit() }
            counts[workload.name] = Double(counter.count - before) / Double(units)
        }
        let output = JSONEncoder()
        output.outputFormatting = [.prettyPrinted, .sortedKeys]
        print(String(decoding: try output.encode(counts), as: UTF8.self))
    }

    private static let warmup = 200
    private static let units = 1_000
}

/// The number that the preloaded counter maintains in a shared file.
struct AllocationCounter {
    private let page: UnsafeRawPointer

    /// Creates a counter; nil if the file does not exist or no preloaded counter uses it.
    init?() {
        guard let path = ProcessInfo.processInfo.environment["BELFRY_ALLOCATIONS"] else { return nil }
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard let page = mmap(nil, 8, PROT_READ, MAP_SHARED, file, 0), page != MAP_FAILED else { return nil }
        self.page = UnsafeRawPointer(page)
        guard count > 0 else { return nil }
    }

    var count: UInt64 { page.load(as: UInt64.self) }
}
