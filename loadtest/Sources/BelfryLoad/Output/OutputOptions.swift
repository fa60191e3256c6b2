import ArgumentParser
import Foundation
import LoadReport

/// Options for the outputs of a report in addition to the table on standard output.
struct OutputOptions: ParsableArguments {
    @Option(help: "Write the report to this file as JSON; - is standard output, instead of the table.")
    var json: String?

    @Option(help: "Write the report to this file as an HTML page; - is standard output, instead of the table.")
    var html: String?

    func validate() throws {
        guard json != "-" || html != "-" else {
            throw ValidationError("only one of --json and --html can be standard output")
        }
    }

    /// Whether one of the files goes to standard output, so that nothing else may be written there.
    var usesStandardOutput: Bool { json == "-" || html == "-" }

    func write(_ book: ReportBook) throws {
        if !usesStandardOutput {
            try Self.write(book.reports.map { $0.table() }.joined(separator: "\n"), to: "-")
        }
        try writeFiles(book)
    }

    func writeFiles(_ book: ReportBook) throws {
        if let json { try Self.write(book.json(), to: json) }
        if let html { try Self.write(book.html(), to: html) }
    }

    /// Writes to standard output unbuffered, which keeps the order relative to standard error.
    static func writeOutput(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }

    private static func write(_ text: String, to path: String) throws {
        let data = Data(text.utf8)
        if path == "-" {
            try FileHandle.standardOutput.write(contentsOf: data)
        } else {
            try data.write(to: URL(fileURLWithPath: path))
        }
    }
}

extension ReportBook {
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}

/// The command line of this process, quoted for a shell.
enum CommandLineText {
    static func quoted(_ arguments: [String]) -> String {
        arguments.map { argument in
            let isPlain = argument.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: ","):
                    true
                default: false
                }
            }
            return isPlain && !argument.isEmpty ? argument : "'" + argument.replacing("'", with: #"'\''"#) + "'"
        }.joined(separator: " ")
    }
}
