import Foundation
import Workloads

/// The worst-case table: every command's cost on the engine's queue in the largest chat that default limits allow, and
/// the size of its response. Markdown on standard output.
enum WorstCases {
    private static let columns = [
        "command", "worst case", "runs", "longest turn, ms", "median ms", "slowest ms", "decide", "fold", "answer",
        "frame", "events",
        "effects", "frame KiB", "answer KiB",
    ]

    /// - Parameter command: The only command to measure; all if absent.
    static func measure(_ scale: WorstScale, only command: String?) {
        var chat = WorstChat(scale)
        row(columns)
        row(columns.indices.map { $0 < 2 ? "---" : "---:" })
        for worst in WorstCase.all where command == nil || worst.command == command {
            do {
                row(cells(of: try worst.measure(&chat)))
            } catch {
                row(["`\(worst.command)`", worst.note, "refused: \(error)"])
            }
        }
    }

    private static func cells(of result: WorstResult) -> [String] {
        let run = result.median
        return [
            "`\(result.command)`", result.note, "\(result.runs)", milliseconds(run.longestTurn),
            milliseconds(run.total),
            milliseconds(result.slowest.total), milliseconds(run.decide), milliseconds(run.fold),
            milliseconds(run.respond), milliseconds(run.encode), "\(run.events)", "\(run.effectCount)",
            "\((run.frameBytes + 1_023) / 1_024)", "\((run.answerBytes + 1_023) / 1_024)",
        ]
    }

    /// Writes a row unbuffered, even into a file, because the largest state takes a while.
    private static func row(_ cells: [String]) {
        FileHandle.standardOutput.write(Data(("| " + cells.joined(separator: " | ") + " |\n").utf8))
    }

    private static func milliseconds(_ nanoseconds: UInt64) -> String {
        String(format: "%.3f", Double(nanoseconds) / 1e6)
    }
}
