import ArgumentParser
import Belfry
import Foundation

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Judge a configuration as a start would, and say what it comes to.",
        discussion: """
            Takes the options of serve, reads the settings, the keys, the certificate and the page, and tells each setting \
            that is given and where. Listens nowhere and leaves the data folder alone. Ends with 78 and one line on standard \
            error when a server would not start so; variables that look like settings and are none are told there, too.
            """)

    @OptionGroup
    var options: ServeOptions

    func run() async throws {
        do throws(ConfigurationError) {
            let given = ProcessInfo.processInfo.environment
            let environment = try SecretFiles.resolved(given)
            var configuration = try await options.configuration(environment: environment)
            configuration.tokenSecret = environment["BELFRY_TOKEN_SECRET"]
            configuration.apiKey = environment["BELFRY_API_KEY"]
            let settings = try GivenSetting.all(settingsFile: options.config, environment: environment)
            try await configuration.check(makesUpKeys: options.development)
            say(configuration, settings)
            for name in GivenSetting.unknown(in: given) {
                FileHandle.standardError.write(Data("belfry: \(name) is no setting and changes nothing\n".utf8))
            }
        } catch {
            throw Failure.configuration(error)
        }
    }

    private func say(_ configuration: Configuration, _ settings: [GivenSetting]) {
        print("listens: \(configuration.host) port \(configuration.port)")
        if let tls = configuration.tls { print("with TLS: \(tls.host ?? configuration.host) port \(tls.port)") }
        if let port = configuration.admin.port {
            print("for those who run it: \(configuration.admin.host ?? Configuration.Admin.defaultHost) port \(port)")
        }
        print("data: \(configuration.dataFolder)")
        print("token secret: \(told(configuration.tokenSecret, "none; public keys judge users' tokens"))")
        print("API key: \(told(configuration.apiKey, "none; server-only commands need a file of keys"))")
        for setting in settings { print("\(setting.key) = \(setting.value) (\(setting.source))") }
        print("\(settings.count) settings are given, the others have their defaults")
    }

    private func told(_ key: String?, _ absent: String) -> String {
        if let key { return "\(key.utf8.count) bytes" }
        return options.development ? "made up at the start, or kept from before" : absent
    }
}
