import ArgumentParser

@main
struct BelfryLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "belfry-load", abstract: "Put a Belfry server under load, and check that it loses nothing.",
        subcommands: [
            FanoutCommand.self, RoomsCommand.self, MixedCommand.self, IngestCommand.self, StormCommand.self,
            ChurnCommand.self, SlowCommand.self, IdleCommand.self, SetCommand.self, CompareCommand.self,
            ShareCommand.self,
        ])
}

/// The reason why a run failed, for the person who started it.
struct LoadError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
