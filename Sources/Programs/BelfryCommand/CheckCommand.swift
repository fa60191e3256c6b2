import ArgumentParser
import Belfry
import Foundation

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Validate a configuration as at startup, and list the configured settings.",
        discussion: """
            Takes the same options as serve. Validates the settings, keys, certificate and page, and lists each \
            configured setting with its source, without listening or opening the data folder. If the configuration is \
            invalid, prints one line to standard error and exits with 78. Variables that look like settings but are \
            unknown are listed there, too.
            """)

    @OptionGroup
    var options: ServeOptions

    func run() async throws {
        do throws(ConfigurationError) {
            let variables = ProcessInfo.processInfo.environment
            let environment = try SecretFiles.resolved(variables)
            var configuration = try await options.configuration(environment: environment)
            configuration.tokenSecret = environment["BELFRY_TOKEN_SECRET"]
            configuration.apiKey = environment["BELFRY_API_KEY"]
            let settings = try ConfiguredSetting.all(settingsFile: options.config, environment: environment)
            try configuration.check(generatesKeys: options.development)
            printSummary(configuration, settings)
            for name in ConfiguredSetting.unknown(in: variables) {
                FileHandle.standardError.write(Data("belfry: \(name) is not a setting and has no effect\n".utf8))
            }
        } catch {
            throw Failure.configuration(error)
        }
    }

    private func printSummary(_ configuration: Configuration, _ settings: [ConfiguredSetting]) {
        print("listens: \(configuration.host) port \(configuration.port)")
        if let tls = configuration.tls { print("with TLS: \(tls.host ?? configuration.host) port \(tls.port)") }
        if let port = configuration.admin.port {
            print("admin listener: \(configuration.admin.host ?? Configuration.Admin.defaultHost) port \(port)")
        }
        if let node = try? configuration.cluster.nodeName(), configuration.cluster.isEnabled {
            print("cluster: \(configuration.cluster.name), as node \(node)")
            print("NATS servers: \(configuration.cluster.servers.joined(separator: ", "))")
        }
        print("data: \(configuration.dataFolder)")
        print("token secret: \(describe(configuration.tokenSecret, "none; public keys verify users' tokens"))")
        print("API key: \(describe(configuration.apiKey, "none; server-only commands need a server keys file"))")
        for setting in settings { print("\(setting.key) = \(setting.value) (\(setting.source))") }
        print("\(settings.count) settings are configured; all others have their defaults")
    }

    private func describe(_ key: String?, _ absent: String) -> String {
        if let key { return "\(key.utf8.count) bytes" }
        return options.development ? "generated on first startup and kept in the data folder" : absent
    }
}
