import Foundation

/// What a run with listeners that stop reading has shown; times in milliseconds.
struct SlowResult: Encodable {
    struct Round: Encodable {
        let p50Before, p99Before, p50With, p99With: Double
        /// Of the server's process for each stalled connection; nil when it cannot be seen.
        let bytesPerStalled: Int?

        var ratio: Double { p99With / max(p99Before, 0.001) }
    }

    let scenario = "slow"
    let subscribers, stalled: Int
    var rounds: [Round] = []
    var problems: [String] = []

    var table: String {
        var lines = [
            "slow: \(subscribers) listeners, and \(stalled) that do not read", "",
            "milliseconds   without p50      p99   with p50      p99    ratio of p99   KiB a stalled one",
        ]
        for (number, round) in rounds.enumerated() {
            let figures = [round.p50Before, round.p99Before, round.p50With, round.p99With].map {
                $0.formatted(2).right(9)
            }
            let memory = round.bytesPerStalled.map { (Double($0) / 1_024).formatted(1) } ?? "?"
            lines.append(
                "round \(number + 1)".padding(toLength: 17, withPad: " ", startingAt: 0) + figures.joined()
                    + round.ratio.formatted(3).right(16) + memory.right(20))
        }
        let ratios = rounds.map(\.ratio).sorted()
        if let first = ratios.first, let last = ratios.last {
            let median = (ratios[(ratios.count - 1) / 2] + ratios[ratios.count / 2]) / 2
            lines.append(
                "median ratio \(median.formatted(3)), from \(first.formatted(3)) to \(last.formatted(3)), of \(ratios.count) rounds"
            )
        }
        lines += problems.map { "PROBLEM: \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension String {
    fileprivate func right(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
