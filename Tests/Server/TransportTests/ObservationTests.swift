import CoreMetrics
import Foundation
import MetricTable
import Synchronization
import Testing

@testable import Belfry

@Suite struct HistogramTests {
    private func lines(_ registry: PrometheusRegistry) -> [String] {
        registry.text().split(separator: "\n").map(String.init)
    }

    @Test func `each bucket counts everything up to its bound, and the last one counts everything`() {
        let registry = PrometheusRegistry()
        let sizes = registry.makeRecorder(label: "sizes", dimensions: [("of", "a")], aggregate: true)
        for size in [1, 2, 3, 8_192, 8_193] { sizes.record(Int64(size)) }
        sizes.record(.infinity)
        let lines = lines(registry)
        #expect(lines.first == "# TYPE sizes histogram")
        #expect(lines.contains(#"sizes_bucket{of="a",le="1"} 1"#))
        #expect(lines.contains(#"sizes_bucket{of="a",le="2"} 2"#))
        #expect(lines.contains(#"sizes_bucket{of="a",le="4"} 3"#))
        #expect(lines.contains(#"sizes_bucket{of="a",le="8192"} 4"#))
        let end = [#"sizes_bucket{of="a",le="+Inf"} 5"#, #"sizes_sum{of="a"} 16391"#, #"sizes_count{of="a"} 5"#]
        #expect(lines.suffix(3) == end[...])
    }

    @Test func `a timer is a histogram of seconds`() {
        let registry = PrometheusRegistry()
        registry.makeTimer(label: "waits", dimensions: []).recordNanoseconds(250_000)
        let lines = lines(registry)
        #expect(lines.contains(#"waits_bucket{le="0.0001"} 0"#))
        #expect(lines.contains(#"waits_bucket{le="0.00025"} 1"#))
        #expect(lines.suffix(2) == ["waits_sum 0.00025", "waits_count 1"][...])
    }

    @Test func `a non-aggregating recorder is exported as a gauge`() {
        let registry = PrometheusRegistry()
        registry.makeRecorder(label: "size", dimensions: [], aggregate: false).record(Int64(7))
        #expect(registry.text() == "# TYPE size gauge\nsize 7\n")
    }

    @Test func `a hung queue is not probed again until it continues`() {
        let registry = PrometheusRegistry()
        let posted = Mutex<[@Sendable () -> Void]>([])
        let lags = QueueLags([("slow", { body in posted.withLock { $0.append(body) } })], metrics: registry)
        for _ in 0..<3 { lags.sample() }
        let bodies = posted.withLock { $0 }
        #expect(bodies.count == 1)
        for body in bodies { body() }
        lags.sample()
        #expect(posted.withLock(\.count) == 2)
        #expect(lines(registry).last == #"belfry_queue_lag_seconds_count{queue="slow"} 1"#)
    }
}

@Suite struct MetricTests {
    @Test func `a metric created from a row is exposed with its name, type, labels and help`() {
        let registry = PrometheusRegistry()
        func dimensions(_ row: Metric) -> [(String, String)] { row.labels.map { ($0, "a") } }
        for metric in CounterMetric.allCases { _ = Counter(metric, registry, dimensions: dimensions(metric.row)) }
        for metric in GaugeMetric.allCases { _ = Gauge(metric, registry, dimensions: dimensions(metric.row)) }
        for metric in MeterMetric.allCases { _ = Meter(metric, registry, dimensions: dimensions(metric.row)) }
        for metric in TimerMetric.allCases {
            // Foundation also has a `Timer`.
            _ = CoreMetrics.Timer(metric, registry, dimensions: dimensions(metric.row))
        }
        for metric in RecorderMetric.allCases { _ = Recorder(metric, registry, dimensions: dimensions(metric.row)) }
        let lines = registry.text().split(separator: "\n").map(String.init)
        let heads = Metric.all.flatMap { row in
            ["# HELP \(row.name) \(row.help)", "# TYPE \(row.name) \(row.kind.rawValue)"]
        }
        #expect(lines.filter { $0.hasPrefix("#") } == heads)
        for row in Metric.all {
            let labels = row.labels.map { "\($0)=\"a\"" }.joined(separator: ",")
            let start = row.name + (row.kind == .histogram ? "_bucket{" : labels.isEmpty ? " " : "{") + labels
            #expect(lines.contains { $0.hasPrefix(start) }, "\(row.name)")
        }
    }

    @Test func `a series without its row's labels is a programming error`() async {
        await #expect(processExitsWith: .failure) {
            _ = Counter(.errors, PrometheusRegistry())
        }
        await #expect(processExitsWith: .failure) {
            _ = Counter(.commands, PrometheusRegistry(), dimensions: [("code", "100")])
        }
    }
}

@Suite struct KeyUsesTests {
    @Test func `AD1: the last use of each existing server key is known since the start`() {
        let uses = KeyUses(PrometheusRegistry())
        uses.keepOnly(["a", "b"])
        uses.record("a", now: 5)
        uses.record("a", now: 7)
        uses.record("c", now: 7)
        #expect(uses.lastUse(of: "a") == 7 && uses.lastUse(of: "b") == nil && uses.lastUse(of: "c") == nil)
        uses.keepOnly(["a"])
        #expect(uses.lastUse(of: "a") == 7)
    }

    @Test func `each existing server key has a count, and a removed one has none`() {
        let registry = PrometheusRegistry()
        let uses = KeyUses(registry)
        func series() -> [String] {
            registry.text().split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
                String($0.dropFirst("belfry_api_key_requests_total".count))
            }.sorted()
        }
        uses.keepOnly(["a", "b"])
        for id in ["a", "a", "c"] { uses.record(id, now: 1) }
        #expect(series() == [#"{key="a"} 2"#, #"{key="b"} 0"#])
        uses.keepOnly(["a", "c"])
        for id in ["a", "b", "c"] { uses.record(id, now: 2) }
        #expect(series() == [#"{key="a"} 3"#, #"{key="c"} 1"#])
        uses.keepOnly([])
        uses.keepOnly(["a"])
        #expect(series() == [#"{key="a"} 0"#])
    }
}

@Suite struct ProcessFiguresTests {
    @Test func `the process reports memory, descriptors and a start time in the past`() throws {
        #expect(try #require(ProcessFigures.residentBytes()) > 1_048_576)
        let before = try #require(ProcessFigures.openDescriptors())
        #expect(before > 2)
        let start = try #require(ProcessFigures.startSeconds())
        let now = Date().timeIntervalSince1970
        // A day is longer than any run of the test suite.
        #expect(start <= now + 1 && start > now - 86_400)
    }
}
