import Foundation
import LoadReport

/// Resource usage at one moment.
struct Sample {
    let at = Clock.now
    /// The CPU time of each node; nil when unknown.
    let nodeCPU: [Double]?
    let ownCPU: Double?
    /// Core seconds that the host has given to other machines since it started; nil if unavailable.
    let stolen = StolenTime.now()

    /// - Parameter testers: Other processes of the tester.
    init(server: ServerProcesses, testers: [Int32] = []) {
        nodeCPU = server.cpu
        let own = ([getpid()] + testers).map(ProcessTime.seconds)
        ownCPU = own.contains(nil) ? nil : own.reduce(0) { $0 + ($1 ?? 0) }
    }
}

/// Resource usage between two samples, in seconds.
struct Usage {
    var seconds: Double
    /// Of all nodes together; `nil` when the server's processes are unknown.
    var serverCPU: Double?
    /// Of each node; empty when the server's processes are unknown.
    var nodeCPU: [Double] = []
    var ownCPU: Double?
    /// Core time taken by other machines on the same host; `nil` if unavailable.
    var stolen: Double?

    init(from before: Sample, to after: Sample) {
        seconds = Double(after.at - before.at) / 1e9
        if let before = before.nodeCPU, let after = after.nodeCPU {
            nodeCPU = zip(before, after).map { $1 - $0 }
            serverCPU = nodeCPU.reduce(0, +)
        }
        ownCPU = before.ownCPU.flatMap { before in after.ownCPU.map { $0 - before } }
        stolen = before.stolen.flatMap { before in after.stolen.map { $0 - before } }
    }

    /// - Parameter what: The counted operation, such as `delivery`.
    func figures(per what: String, count: Int) -> [Report.Figure] {
        guard count > 0 else { return [] }
        func figure(_ who: String, _ cpu: Double?) -> Report.Figure? {
            cpu.map { Report.Figure("CPU of the \(who) per \(what)", $0 * 1e6 / Double(count), "µs") }
        }
        return [figure("server", serverCPU), figure("tester", ownCPU)].compactMap(\.self)
    }

    /// Returns the figures with the CPU time of each node per operation, if there are several nodes.
    ///
    /// - Parameter count: The operations at all nodes together.
    func figuresWithNodes(per what: String, count: Int) -> [Report.Figure] {
        figures(per: what, count: count) + nodeFigures(per: what, counts: nodeCPU.map { _ in Double(count) })
    }

    /// Returns the CPU time of each node per operation; empty for a server of one node.
    ///
    /// - Parameter counts: The operations that each node took part in.
    func nodeFigures(per what: String, counts: [Double]) -> [Report.Figure] {
        guard nodeCPU.count > 1 else { return [] }
        return zip(nodeCPU, counts).enumerated().compactMap { index, node in
            let (cpu, count) = node
            return count > 0 ? .init("CPU of node \(index + 1) per \(what)", cpu * 1e6 / count, "µs") : nil
        }
    }

    /// Reasons to distrust the figures.
    func remarks(loops: Int) -> [String] {
        var remarks: [String] = []
        if let ownCPU, seconds > 0, ownCPU / seconds > 0.9 * Double(loops) {
            remarks.append("the tester used \((ownCPU / seconds).formatted(2)) cores: it may have raised the latencies")
        }
        // At 1 % of a core's time or more, it may explain the 99th percentile.
        if let stolen, seconds > 0, stolen / seconds >= 0.01 {
            let share = (100 * stolen / seconds).formatted(1)
            remarks.append(
                "other machines on the same host took \(stolen.formatted(2)) s, \(share) % of one core, which may have "
                    + "delayed messages")
        }
        let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
        if let ownCPU, let serverCPU, seconds > 0, ownCPU + serverCPU > 0.85 * cores * seconds {
            remarks.append(
                "server and tester together used \(((ownCPU + serverCPU) / seconds).formatted(2)) of "
                    + "\(cores.formatted(0)) cores: the machine is saturated, which raises the latencies")
        }
        if serverCPU == nil { remarks.append("the server's CPU time is unknown: specify its process id with --pid") }
        if let serverCPU, serverCPU < 0.5 {
            remarks.append("the server used only \(serverCPU.formatted(2)) s of CPU: too little for an exact figure")
        }
        return remarks
    }
}

extension Report.Figure {
    /// - Parameter serverMemory: The peak in bytes; nil if unknown.
    static func aftermath(serverMemory: Int?, setupSeconds: Double) -> [Report.Figure] {
        (serverMemory.map { [.init("server memory at its highest", Double($0) / 1_048_576, "MiB")] } ?? [])
            + [.init("setting up", setupSeconds, "s")]
    }
}

extension Double {
    /// Formats the number with a fixed number of fraction digits.
    func formatted(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
