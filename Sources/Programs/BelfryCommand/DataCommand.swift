import ArgumentParser
import Belfry
import Foundation

/// Maintains a data folder without running a server.
struct DataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "data", abstract: "Inspect, verify, compact, back up, restore, export and import a data folder.",
        discussion: """
            All of these commands except import can run while a server uses the folder. Exit status: 65 if the folder is damaged, 74 \
            if the disk fails, 77 if the folder belongs to another user.
            """,
        subcommands: [Inspect.self, Verify.self, Compact.self, Backup.self, Restore.self, Export.self, Import.self])

    struct Inspect: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the snapshots and journal segments, and check every frame.")

        @Argument(help: "The data folder.")
        var folder = "belfry-data"

        func run() throws {
            let report = try DataCommand.report(folder, isReplaying: false)
            for snapshot in report.snapshots { print("\(snapshot.name)  up to \(snapshot.sequence)") }
            for segment in report.segments {
                print("\(segment.name)  first \(segment.first)  frames \(segment.frames)  bytes \(segment.bytes)")
            }
            DataCommand.show(report)
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rehearse startup and compaction without changing anything.",
            discussion: """
                Reads and applies every snapshot and record, then takes a snapshot of the result in memory and reads \
                it back.
                """)

        @Argument(help: "The data folder.")
        var folder = "belfry-data"

        func run() throws {
            let report = try DataCommand.report(folder, isReplaying: true)
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
                throw Failure.damage("snapshots are damaged; a server would start from older, intact data")
            }
            print("everything can be read")
        }
    }

    struct Compact: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a snapshot and delete files that are no longer needed.",
            discussion: """
                The snapshot covers closed journal segments. Two snapshots are kept, and every frame after the older \
                one. A running server compacts automatically.
                """)

        @Argument(help: "The data folder.")
        var folder = "belfry-data"

        @Option(help: "Latest frames to leave out of the snapshot: clients can recover their events after a restart.")
        var keep = 100_000

        @Option(help: "The maximum size of these frames in bytes; large frames reduce their number.")
        var keepBytes = 67_108_864

        func validate() throws {
            if keep < 0 { throw ValidationError("--keep must be a number of frames, 0 or more") }
            if keepBytes < 0 { throw ValidationError("--keep-bytes must be a number of bytes, 0 or more") }
        }

        func run() throws {
            let done = try DataCommand.reportingErrors { () throws(ConfigurationError) in
                try DataFolderTools.compact(folder, keeping: keep, bytes: keepBytes)
            }
            guard let done else { return print("nothing to do") }
            for problem in done.damaged { print("replaced a damaged snapshot: \(problem)") }
            print("snapshot up to frame \(done.frame)  bytes \(done.bytes)  files deleted \(done.removed.count)")
        }
    }

    struct Backup: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy a data folder, even while a server uses it, and check the copy.",
            discussion: """
                The copy contains everything acknowledged before the command started, and uploaded files, but not the \
                keys of a development-mode server.
                """)

        @Argument(help: "The data folder.")
        var folder: String

        @Argument(help: "The folder for the copy; it must not exist or must be empty.")
        var copy: String

        func run() throws {
            DataCommand.show(
                try DataCommand.reportingErrors { () throws(ConfigurationError) in
                    try DataFolderTools.backUp(folder, to: copy)
                })
        }
    }

    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turn a backup into a new data folder.",
            discussion: """
                All rooms start a new epoch, which makes returning clients reload, because the original may have \
                changed since the backup.
                """)

        @Argument(help: "The backup folder.")
        var copy: String

        @Argument(help: "The new data folder; it must not exist or must be empty.")
        var folder: String

        func run() throws {
            DataCommand.show(
                try DataCommand.reportingErrors { () throws(ConfigurationError) in
                    try DataFolderTools.restore(copy, to: folder)
                })
        }
    }

    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the chat, a channel or what belongs to a user as JSON Lines to standard output.",
            discussion: """
                Contains everything acknowledged before the command started. The last line has the type "end"; without \
                it, the export is incomplete. Exit status: 66 if there is no such user or channel.
                """)

        @Argument(help: "The data folder, or a backup of one.")
        var folder = "belfry-data"

        @Option(
            help: ArgumentHelp("Export only what the chat knows of this user and what the user wrote.", valueName: "id")
        )
        var user: String?

        @Option(help: ArgumentHelp("Export only this channel, with its members and messages.", valueName: "id"))
        var channel: String?

        func validate() throws {
            if user != nil, channel != nil { throw ValidationError("--user and --channel exclude each other") }
        }

        func run() throws {
            var part = DataFolderTools.ExportedPart.everything
            if let user { part = .user(user) }
            if let channel { part = .channel(channel) }
            try DataCommand.reportingErrors { () throws(ConfigurationError) in
                try DataFolderTools.export(folder, part, to: STDOUT_FILENO)
            }
        }
    }

    static func reportingErrors<Result>(_ body: () throws(ConfigurationError) -> Result) throws -> Result {
        do throws(ConfigurationError) { return try body() } catch { throw Failure.configuration(error) }
    }

    private static func show(_ copy: DataFolderCopy) {
        for problem in copy.damaged { print("skipped an unreadable snapshot: \(problem)") }
        print("frames \(copy.frames)  users \(copy.users)  channels \(copy.channels)  files \(copy.files)")
        if copy.missingFiles > 0 { print("missing uploaded files: \(copy.missingFiles)") }
    }

    private static func report(_ folder: String, isReplaying: Bool) throws -> DataFolderReport {
        try reportingErrors { () throws(ConfigurationError) in
            try DataFolderReport(path: folder, isReplaying: isReplaying)
        }
    }

    private static func show(_ report: DataFolderReport) {
        let frames = report.segments.reduce(0) { $0 + $1.frames }
        print("frames \(frames)  files \(report.segments.count)  \(report.isOpen ? "open" : "closed cleanly")")
        if let tail = report.tornTail {
            print("an unfinished write of \(tail.bytes) bytes in \(tail.segment) at byte \(tail.offset)")
        }
    }
}
