import ArgumentParser
import Belfry
import Foundation

/// Looks after a data folder without a server.
struct DataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "data", abstract: "Look into a data folder.",
        discussion: "Both read only; a server that uses the folder goes on. They end with 65 when it is damaged.",
        subcommands: [Inspect.self, Verify.self])

    struct Inspect: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the journal's files and check every frame.")

        @Argument(help: "The data folder.")
        var folder = "belfry-data"

        func run() throws {
            let report = try DataCommand.report(folder, isFolding: false)
            for segment in report.segments {
                print("\(segment.name)  first \(segment.first)  frames \(segment.frames)  bytes \(segment.bytes)")
            }
            DataCommand.show(report)
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read every record and take it in, as a start would do.")

        @Argument(help: "The data folder.")
        var folder = "belfry-data"

        func run() throws {
            let report = try DataCommand.report(folder, isFolding: true)
            DataCommand.show(report)
            print("users \(report.users ?? 0)  channels \(report.channels ?? 0)")
            print("everything can be read")
        }
    }

    private static func report(_ folder: String, isFolding: Bool) throws -> DataFolderReport {
        do throws(ConfigurationError) {
            return try DataFolderReport(path: folder, isFolding: isFolding)
        } catch {
            throw Failure.configuration(error)
        }
    }

    private static func show(_ report: DataFolderReport) {
        let frames = report.segments.reduce(0) { $0 + $1.frames }
        print("frames \(frames)  files \(report.segments.count)  \(report.isOpen ? "open" : "closed in order")")
        if let tail = report.tornTail {
            print("an unfinished write of \(tail.bytes) bytes in \(tail.segment) at byte \(tail.offset)")
        }
    }
}
