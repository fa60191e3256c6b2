import ArgumentParser
import Belfry
import Foundation

@main
struct BelfryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "belfry", abstract: "A self-hosted, real-time chat event gateway.",
        version: "belfry \(Version.text)",
        subcommands: [
            ServeCommand.self, CheckCommand.self, TokenCommand.self, ListenCommand.self, DataCommand.self,
            ClusterCommand.self,
        ])

    /// Ends the process without `exit`, which would run the destructors of C libraries while their threads still use what
    /// these free. libnats aborts if it finds its locks gone, and the status would be lost.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            leave(0)
        } catch let code as ExitCode {
            leave(code.rawValue)
        } catch {
            // No command has begun: help, or an error in the arguments.
            exit(withError: error)
        }
    }

    private static func leave(_ status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }
}
