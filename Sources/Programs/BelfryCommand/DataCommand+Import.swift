import ArgumentParser
import Belfry
import Foundation

extension DataCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import a chat's history into the data folder of a server that does not run.",
            discussion: """
                Reads JSON Lines as belfry data export writes them, or the data exports of Sendbird or Stream. Imports only \
                into channels that it creates, which stay hidden until all files are read. Progress goes to standard \
                error. After an interruption, or once a broken line is corrected, the same command continues. Exit \
                status: 65 if a line cannot be imported, 66 if a file cannot be read.
                """)

        @Argument(help: "The files, in order: users before channels before messages.")
        var files: [String]

        @Option(help: "The data folder; created if missing.")
        var data = "belfry-data"

        @Option(help: "The format of the files: belfry, sendbird or stream.")
        var from = DataFolderTools.ImportFormat.belfry

        @Option(help: "The import's id, under which it continues. (default: the name of the first file)")
        var id: String?

        @Option(help: "The name of the chat that the files come from, a part of message ids. (default: the format)")
        var source: String?

        @Option(help: "A JSON settings file, whose limits apply.")
        var config: String?

        @Flag(name: .customLong("dry-run"), help: "Check the files against the folder, and change nothing.")
        var isDryRun = false

        func run() async throws {
            do throws(ConfigurationError) {
                var configuration = Configuration()
                try await configuration.apply(
                    settingsFile: config, environment: ProcessInfo.processInfo.environment)
                let done = try importFiles(configuration)
                print(
                    "\(isDryRun ? "can import" : "imported")  lines \(done.lines)  channels \(done.channels)  "
                        + "messages \(done.messages)")
            } catch {
                throw Failure.configuration(error)
            }
        }

        private func importFiles(
            _ configuration: Configuration
        ) throws(ConfigurationError) -> DataFolderTools.ImportProgress {
            var options = DataFolderTools.ImportOptions(id: id ?? Self.id(of: files[0]))
            options.format = from
            options.source = source
            options.isDryRun = isDryRun
            options.configuration = configuration
            var reported = Date.distantPast
            return try DataFolderTools.importFiles(files, into: data, options) { progress in
                guard Date.now.timeIntervalSince(reported) >= 1 else { return }
                reported = .now
                FileHandle.standardError.write(
                    Data("lines \(progress.lines)  channels \(progress.channels)  messages \(progress.messages)\n".utf8)
                )
            }
        }

        /// Returns the file's name with only the characters of ids.
        private static func id(of file: String) -> String {
            let name = URL(filePath: file).lastPathComponent.utf8.prefix(100).map { byte in
                let isPlain = byte < 0x80 && (Character(Unicode.Scalar(byte)).isLetter || (0x30...0x39).contains(byte))
                return isPlain || "_.~-".utf8.contains(byte) ? byte : UInt8(ascii: "-")
            }
            return name.isEmpty ? "import" : String(decoding: name, as: UTF8.self)
        }
    }
}

extension DataFolderTools.ImportFormat: ExpressibleByArgument {}
