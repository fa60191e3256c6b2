import Benchmark
import Workloads

/// The duration of each workload, measured by `loadtest/benchmarks`.
let benchmarks: @Sendable () -> Void = {
    for workload in Workload.all {
        Benchmark(
            workload.name,
            configuration: .init(
                metrics: [.wallClock, .throughput], warmupIterations: 10,
                scalingFactor: .kilo, maxDuration: .seconds(2))
        ) { benchmark in
            let unit = try workload.prepare()
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations { try unit() }
        }
    }
}
