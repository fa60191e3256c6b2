import ArgumentParser

/// How many processes the clients live in.
struct ProcessOptions: ParsableArguments {
    @Option(
        name: .customLong("processes"),
        help: "Processes that the clients live in; without it as few as the limit of descriptors asks for.")
    var count: Int?

    func validate() throws {
        guard count.map({ (1...64).contains($0) }) ?? true else { throw ValidationError("--processes is 1 to 64") }
    }
}
