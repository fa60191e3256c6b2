import Foundation
import LoadReport

/// Resource usage at one moment.
struct Sample {
    let at = Clock.now
    let serverCPU: Double?
    let ownCPU: Double?
    /// Core seconds that the host has given to other machines since it started; nil if unavailable.
    let stolen = StolenTime.now()

    /// - Parameter testers: Other processes of the tester.
    init(serverPID: Int32?, testers: [Int32] = []) {
        serverCPU = serverPID.flatMap(ProcessTime.seconds)
        let own = ([getpid()] + testers).map(ProcessTime.seconds)
        ownCPU = own.contains(nil) ? nil : own.reduce(0) { $0 + ($1 ?? 0) }
    }
}

/// Resource usage between two samples, in seconds.
struct Usage {
    var seconds: Double
    /// `nil` when the server's process is unknown.
    var serverCPU: Double?
    var ownCPU: Double?
    /// Core time taken by other machines on the same host; `nil` if unavailable.
    var stolen: Double?

    init(from before: Sample, to after: Sample) {
        seconds = Double(after.at - before.at) / 1e9
        serverCPU = before.serverCPU.flatMap { before in after.serverCPU.map { $0 - before } }
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
