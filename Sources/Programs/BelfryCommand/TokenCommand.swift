import ArgumentParser
import Belfry
import Foundation

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print a token with which a user can connect.",
        discussion: """
            The token is signed with BELFRY_TOKEN_SECRET, or the key in the file that BELFRY_TOKEN_SECRET_FILE names. \
            If neither is set, it is signed with the key that a development-mode server keeps in its data folder.
            """)

    @Option(help: "The user's id.")
    var user: String

    @Option(help: "The lifetime: a number followed by s, m, h or d; or never.")
    var expires: Lifetime = Lifetime(seconds: 3_600)

    @Option(help: "The data folder of the development-mode server.")
    var data = "belfry-data"

    @Option(help: "The server's JSON settings file, for tokens.issuer and tokens.audience.")
    var config: String?

    func run() async throws {
        do throws(ConfigurationError) {
            let environment = try SecretFiles.resolved(ProcessInfo.processInfo.environment)
            let folder = environment["BELFRY_TOKEN_SECRET"] == nil ? data : nil
            let secrets = try Secrets(environment: environment, developmentFolder: folder, generatesMissing: false)
            var configuration = Configuration(tokenSecret: nil)
            try await configuration.apply(settingsFile: config, environment: environment)
            print(try secrets.token(for: user, lifetimeSeconds: expires.seconds, tokens: configuration.tokens))
        } catch {
            throw Failure.configuration(error)
        }
    }
}

/// A lifetime such as `90s`, `15m`, `1h`, `30d` or `never`.
struct Lifetime: ExpressibleByArgument {
    /// `nil` means unlimited.
    let seconds: Int64?

    init(seconds: Int64?) { self.seconds = seconds }

    init?(argument: String) {
        if argument == "never" {
            seconds = nil
            return
        }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()), count > 0,
            count <= 36_500 * 86_400 / unit
        else { return nil }
        seconds = count * unit
    }

    var defaultValueDescription: String { "1h" }
}
