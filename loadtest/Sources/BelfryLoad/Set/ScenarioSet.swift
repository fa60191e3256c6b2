import Foundation

/// Scenarios with their options, in the order in which they run, as in a scenario file:
///
///     {"about": "…", "runs": [{"scenario": "fanout", "title": "…", "options": {"rate": 50, "tls": true}}]}
///
/// An unknown key is an error that names the key, because a misspelt one would otherwise silently change the run.
struct ScenarioSet: Decodable, Equatable, Sendable {
    /// The purpose of the set, in a sentence.
    var about: String
    var runs: [Run]

    static let maximumRuns = 100

    struct Run: Decodable, Equatable, Sendable {
        /// The name of the scenario's command.
        var scenario: String
        /// A title that distinguishes the run from others of the same scenario.
        var title: String?
        /// Positional arguments on the command line.
        var arguments: [Value]
        /// Options by name, without the hyphens.
        var options: [String: Value]
    }

    /// A value as on the command line; nil for a flag.
    struct Value: Equatable, Sendable {
        var text: String?
    }

    /// - Throws: `LoadError` that names the problem.
    init(json: Data) throws {
        do {
            self = try JSONDecoder().decode(ScenarioSet.self, from: json)
        } catch let error as DecodingError {
            throw LoadError(error.summary)
        }
        guard (1...Self.maximumRuns).contains(runs.count) else {
            throw LoadError("runs must have 1 to \(Self.maximumRuns) entries, not \(runs.count)")
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(knowing: ["about", "runs"])
        about = try container.decode(String.self, forKey: "about")
        runs = try container.decode([Run].self, forKey: "runs")
    }
}

extension ScenarioSet.Run {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(knowing: ["scenario", "title", "arguments", "options"])
        scenario = try container.decode(String.self, forKey: "scenario")
        title = try container.decodeIfPresent(String.self, forKey: "title")
        arguments = try container.decodeIfPresent([ScenarioSet.Value].self, forKey: "arguments") ?? []
        options = try container.decodeIfPresent([String: ScenarioSet.Value].self, forKey: "options") ?? [:]
    }
}

extension ScenarioSet.Value: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            guard flag else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "to turn a flag off, omit the option")
            }
            text = nil
        } else if let number = try? container.decode(Int.self) {
            text = "\(number)"
        } else if let number = try? container.decode(Double.self) {
            text = "\(number)"
        } else {
            text = try container.decode(String.self)
        }
    }
}

/// A key of any name.
private struct AnyKey: CodingKey, ExpressibleByStringLiteral {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
}

extension Decoder {
    fileprivate func container(knowing names: [String]) throws -> KeyedDecodingContainer<AnyKey> {
        let container = try container(keyedBy: AnyKey.self)
        for key in container.allKeys.sorted(by: { $0.stringValue < $1.stringValue })
        where !names.contains(key.stringValue) {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container,
                debugDescription: "unknown key; the known ones are \(names.joined(separator: ", "))")
        }
        return container
    }
}

extension DecodingError {
    /// The path to the problem, with its description: `runs[2].options.rate: …`.
    fileprivate var summary: String {
        switch self {
        case .keyNotFound(let key, let context): "\(Self.path(context)): \(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            "\(Self.path(context)): \(context.debugDescription)"
        @unknown default: "\(self)"
        }
    }

    private static func path(_ context: Context) -> String {
        let path = context.codingPath.reduce("") { path, key in
            if let index = key.intValue { return path + "[\(index)]" }
            return path.isEmpty ? key.stringValue : path + "." + key.stringValue
        }
        return path.isEmpty ? "the file" : path
    }
}
