import ArgumentParser
import Belfry

@main
struct BelfryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "belfry", abstract: "A self-hosted, real-time chat event gateway.",
        version: "belfry \(Version.text)",
        subcommands: [
            ServeCommand.self, CheckCommand.self, TokenCommand.self, ListenCommand.self, DataCommand.self,
            ClusterCommand.self,
        ])
}
