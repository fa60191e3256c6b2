import Foundation
import Histogram

/// A small table for people, and JSON for machines.
extension FanoutResult {
    private static let percentiles: [(name: String, value: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9), ("p99.99", 99.99), ("max", 100),
    ]

    private func row(_ name: String, _ histogram: Histogram<UInt64>) -> String {
        let values = Self.percentiles.map { milliseconds(histogram.valueAtPercentile($0.value)).padded(9) }
        return name.padding(toLength: 34, withPad: " ", startingAt: 0) + values.joined()
    }

    private var serverMicroseconds: Double? {
        guard let serverCPU, sampledDeliveries > 0 else { return nil }
        return serverCPU * 1e6 / Double(sampledDeliveries)
    }

    private var ownMicroseconds: Double? {
        guard let ownCPU, sampledDeliveries > 0 else { return nil }
        return ownCPU * 1e6 / Double(sampledDeliveries)
    }

    var table: String {
        var lines = [
            "fanout: \(plan.subscribers) subscribers, \(plan.publishers) publishers, \(plan.rate) messages/s for "
                + "\(plan.seconds) s (after \(plan.warmupSeconds) s of warm-up), text of \(plan.textBytes) bytes",
            "",
            "milliseconds".padding(toLength: 34, withPad: " ", startingAt: 0)
                + Self.percentiles.map { $0.name.padded(9) }.joined(),
            row("intended time to delivery", latency),
            row("intended time to acknowledgement", acknowledgement),
            "",
            "sent            \(sent) messages, \(acknowledged) acknowledged",
            "delivered       \(delivered) of \(plan.deliveries), "
                + "\((Double(sampledDeliveries) / max(seconds, 0.001)).formatted(0)) a second",
            "wrong           \(missing) missing, \(doubled) doubled, \(outOfOrder) out of order, "
                + "\(lostConnections) connections lost",
        ]
        if let serverCPU, let serverMicroseconds {
            lines.append(
                "server CPU      \(serverCPU.formatted(2)) s in \(seconds.formatted(2)) s, "
                    + "\(serverMicroseconds.formatted(2)) µs per delivery")
        }
        if let ownCPU, let ownMicroseconds {
            lines.append(
                "tester CPU      \(ownCPU.formatted(2)) s, \(ownMicroseconds.formatted(2)) µs per delivery")
        }
        if let serverMemory {
            lines.append("server memory   \(serverMemory / 1_048_576) MiB at its highest")
        }
        lines.append("set up in       \(setupSeconds.formatted(2)) s")
        lines += remarks.map { "note: \($0)" } + problems.map { "PROBLEM: \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(Report(self)) + Data("\n".utf8)
    }

    /// Latencies in microseconds, memory in bytes, CPU in seconds.
    private struct Report: Encodable {
        struct Latency: Encodable {
            let count: UInt64
            let percentiles: [String: UInt64]

            init(_ histogram: Histogram<UInt64>) {
                count = histogram.totalCount
                percentiles = Dictionary(
                    uniqueKeysWithValues: FanoutResult.percentiles.map {
                        ($0.name, histogram.valueAtPercentile($0.value) / 1_000)
                    })
            }
        }

        let scenario = "fanout"
        let subscribers, publishers, rate, seconds, textBytes: Int
        let deliveryMicroseconds, acknowledgementMicroseconds: Latency
        let sent, acknowledged, delivered, expected: Int
        let missing, doubled, outOfOrder, lostConnections: Int
        let deliveriesPerSecond: Double
        let serverCPUSeconds, serverCPUMicrosecondsPerDelivery: Double?
        let testerCPUSeconds, testerCPUMicrosecondsPerDelivery: Double?
        let serverMemoryBytes, serverMemoryBytesBefore: Int?
        let setupSeconds, sampledSeconds: Double
        let worstLatenessMicroseconds: UInt64
        let remarks, problems: [String]

        init(_ result: FanoutResult) {
            let plan = result.plan
            (subscribers, publishers, rate) = (plan.subscribers, plan.publishers, plan.rate)
            (seconds, textBytes, expected) = (plan.seconds, plan.textBytes, plan.deliveries)
            deliveryMicroseconds = Latency(result.latency)
            acknowledgementMicroseconds = Latency(result.acknowledgement)
            (sent, acknowledged, delivered) = (result.sent, result.acknowledged, result.delivered)
            (missing, doubled, outOfOrder) = (result.missing, result.doubled, result.outOfOrder)
            lostConnections = result.lostConnections
            deliveriesPerSecond = Double(result.sampledDeliveries) / max(result.seconds, 0.001)
            serverCPUSeconds = result.serverCPU
            serverCPUMicrosecondsPerDelivery = result.serverMicroseconds
            testerCPUSeconds = result.ownCPU
            testerCPUMicrosecondsPerDelivery = result.ownMicroseconds
            serverMemoryBytes = result.serverMemory
            serverMemoryBytesBefore = result.serverMemoryBefore
            setupSeconds = result.setupSeconds
            sampledSeconds = result.seconds
            worstLatenessMicroseconds = result.worstLateness / 1_000
            remarks = result.remarks
            problems = result.problems
        }
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
