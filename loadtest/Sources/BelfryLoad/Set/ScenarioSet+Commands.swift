import ArgumentParser

extension ScenarioSet {
    /// The available scenarios, by name.
    static var scenarios: [String: any ScenarioCommand.Type] {
        let types = BelfryLoad.configuration.subcommands.compactMap { $0 as? any ScenarioCommand.Type }
        return Dictionary(types.map { ($0.configuration.commandName ?? "", $0) }) { first, _ in first }
    }

    /// Returns the commands to run, in order.
    ///
    /// - Parameter server: The `belfry` executable that each of them spawns.
    /// - Throws: `LoadError` that names the run and the problem.
    func commands(spawning server: String) throws -> [any ScenarioCommand] {
        try runs.enumerated().map { index, run in
            do {
                return try run.command(spawning: server)
            } catch let error as LoadError {
                throw LoadError("runs[\(index)] (\(run.scenario)): \(error)")
            }
        }
    }
}

extension ScenarioSet.Run {
    /// Options that the set determines for all its runs.
    private static let ownedBySet: Set = ["url", "spawn", "pid", "trust", "json", "html", "help"]

    fileprivate func command(spawning server: String) throws -> any ScenarioCommand {
        guard let type = ScenarioSet.scenarios[scenario] else {
            let known = ScenarioSet.scenarios.keys.sorted().joined(separator: ", ")
            throw LoadError("no such scenario; the known ones are \(known)")
        }
        let words = try commandLine(spawning: server)
        do {
            return try type.parse(words)
        } catch {
            throw LoadError(type.message(for: error))
        }
    }

    private func commandLine(spawning server: String) throws -> [String] {
        var words = ["--spawn=\(server)"]
        for (name, value) in options.sorted(by: { $0.key < $1.key }) {
            guard !Self.ownedBySet.contains(name) else {
                throw LoadError("\(name) is not an option of a run in a set, because each run has its own server")
            }
            guard name.utf8.first != UInt8(ascii: "-"), !name.contains("="), !name.isEmpty else {
                throw LoadError("write options without hyphens in front and without '=': '\(name)' is invalid")
            }
            words.append(value.text.map { "--\(name)=\($0)" } ?? "--\(name)")
        }
        for argument in arguments {
            guard let text = argument.text, !text.hasPrefix("-") else {
                throw LoadError("arguments must be words or numbers without a hyphen in front")
            }
            words.append(text)
        }
        return words
    }
}
