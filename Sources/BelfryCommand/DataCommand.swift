import ArgumentParser
import Belfry
import Foundation

/// Maintains a data folder without a server.
struct DataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "data", abstract: "Look after a data folder.",
        discussion: """
            All of them may run beside a server that uses the folder. They end with 65 when it is damaged, 74 when the \
            disk fails, 77 when it belongs to someone else.
            """,
        subcommands: [Inspect.self, Verify.self, Compact.self, Backup.self, Restore.self])

    struct Inspect: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List snapshots and the journal's files, and check every frame.")

        @Argument(help: "The data folder.")
        var folder = "belfry-data"

        func run() throws {
            let report = try DataCommand.report(folder, isFolding: false)
            for snapshot in report.snapshots { print("\(snapshot.name)  up to \(snapshot.sequence)") }
            for segment in report.segments {
                print("\(segment.name)  first \(segment.first)  frames \(segment.frames)  bytes \(segment.bytes)")
            }
            DataCommand.show(report)
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Do what a start and a compaction do, and change nothing.",
            discussion: """
                Every snapshot and every record is read and taken in, and a snapshot of everything is made, read back and \
                written nowhere.
                """)

        @Argument(help: "The data folder.")
        var folder = "belfry-data"

        func run() throws {
            let report = try DataCommand.report(folder, isFolding: true)
            DataCommand.show(report)
            print("users \(report.users ?? 0)  channels \(report.channels ?? 0)")
            if let trial = report.trial {
                print(
                    "the next snapshot  pieces \(trial.pieces)  bytes \(trial.bytes)  "
                        + "largest piece \(trial.largestPiece)")
            }
            let problems = report.snapshots.compactMap(\.problem)
            guard problems.isEmpty else {
                for problem in problems { print(problem) }
                throw Failure.damage("a start would do with what else there is")
            }
            print("everything can be read")
        }
    }

    struct Compact: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a snapshot and delete what nobody needs any more.",
            discussion: """
                Takes in what stands in closed files of the journal. Two snapshots are kept, and every frame after the \
                older one. A server does the same by itself.
                """)

        @Argument(help: "The data folder.")
        var folder = "belfry-data"

        @Option(help: "Frames at the journal's end that stay out of it: clients recover their events after a restart.")
        var keep = 100_000

        @Option(help: "The bytes of these frames, at most: of large frames fewer stay out.")
        var keepBytes = 67_108_864

        func validate() throws {
            if keep < 0 { throw ValidationError("--keep is a number of frames, 0 or more.") }
            if keepBytes < 0 { throw ValidationError("--keep-bytes is a number of bytes, 0 or more.") }
        }

        func run() throws {
            let done = try DataCommand.carryOut { () throws(ConfigurationError) in
                try DataFolderTools.compact(folder, keeping: keep, bytes: keepBytes)
            }
            guard let done else { return print("nothing to do") }
            for problem in done.damaged { print("replaced: \(problem)") }
            print("snapshot up to frame \(done.frame)  bytes \(done.bytes)  files deleted \(done.removed.count)")
        }
    }

    struct Backup: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy a data folder, also beside a server, and check the copy.",
            discussion: """
                The copy has everything that was acknowledged before, and uploaded files; not the keys of a server in \
                development mode.
                """)

        @Argument(help: "The data folder.")
        var folder: String

        @Argument(help: "The folder of the copy: it must not exist, or be empty.")
        var copy: String

        func run() throws {
            DataCommand.show(
                try DataCommand.carryOut { () throws(ConfigurationError) in
                    try DataFolderTools.backUp(folder, to: copy)
                })
        }
    }

    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a data folder of a copy.",
            discussion: """
                Its rooms begin new epochs: clients that come with a position from before are told to fetch anew, for \
                the original may have gone on after the copy was made.
                """)

        @Argument(help: "The folder of the copy.")
        var copy: String

        @Argument(help: "The new data folder: it must not exist, or be empty.")
        var folder: String

        func run() throws {
            DataCommand.show(
                try DataCommand.carryOut { () throws(ConfigurationError) in
                    try DataFolderTools.restore(copy, to: folder)
                })
        }
    }

    private static func carryOut<Result>(_ body: () throws(ConfigurationError) -> Result) throws -> Result {
        do throws(ConfigurationError) { return try body() } catch { throw Failure.configuration(error) }
    }

    private static func show(_ copy: DataFolderCopy) {
        for problem in copy.damaged { print("passed over: \(problem)") }
        print("frames \(copy.frames)  users \(copy.users)  channels \(copy.channels)  files \(copy.files)")
        if copy.missingFiles > 0 { print("files that are not there any more: \(copy.missingFiles)") }
    }

    private static func report(_ folder: String, isFolding: Bool) throws -> DataFolderReport {
        try carryOut { () throws(ConfigurationError) in try DataFolderReport(path: folder, isFolding: isFolding) }
    }

    private static func show(_ report: DataFolderReport) {
        let frames = report.segments.reduce(0) { $0 + $1.frames }
        print("frames \(frames)  files \(report.segments.count)  \(report.isOpen ? "open" : "closed in order")")
        if let tail = report.tornTail {
            print("an unfinished write of \(tail.bytes) bytes in \(tail.segment) at byte \(tail.offset)")
        }
    }
}
