import Belfry
import Foundation
import Logging
import Testing

@Suite struct TLSConfigurationTests {
    @Test(
        arguments: [
            (nil, 0, "c", nil, "TLS needs --tls-key"),
            (nil, 0, nil, nil, "TLS needs --tls-certificate and --tls-key"),
            (nil, nil, "c", "k", "TLS needs --tls-port"),
            ("::", nil, nil, nil, "TLS needs --tls-port and --tls-certificate and --tls-key"),
        ] as [(String?, UInt16?, String?, String?, String)])
    func `incomplete TLS settings are refused with an error that names the missing setting`(
        host: String?, port: UInt16?, certificate: String?, key: String?, message: String
    ) {
        #expect(throws: ConfigurationError(message)) {
            _ = try Configuration.TLS.options(host: host, port: port, certificatePath: certificate, keyPath: key)
        }
    }

    @Test func `absent and complete TLS settings are accepted`() throws {
        let none = try Configuration.TLS.options(host: nil, port: nil, certificatePath: nil, keyPath: nil)
        #expect(none == nil)
        let all = try Configuration.TLS.options(host: nil, port: 443, certificatePath: "c", keyPath: "k")
        #expect(all == Configuration.TLS(port: 443, certificatePath: "c", keyPath: "k"))
    }

    private func configuration(_ folder: String) -> Configuration {
        var configuration = Configuration(tokenSecret: "a secret of at least thirty-two bytes")
        configuration.port = 0
        configuration.dataFolder = folder
        configuration.loopCount = 1
        return configuration
    }

    private var logger: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    @Test func `an embedded server has a separate TLS address, and can reload its certificate`() async throws {
        let authority = try Authority()
        let key = try authority.key("key")
        var configuration = configuration(authority.path("data"))
        configuration.tls = Configuration.TLS(
            port: 0, certificatePath: try authority.certificate("certificate", key: key), keyPath: key)
        let server = try await Server(configuration, logger: logger)
        let address = try #require(server.tlsAddress)
        #expect(address.host == server.address.host && address.port != server.address.port && address.port > 0)
        try server.reloadCertificate()
        _ = try authority.write("no key", to: "key")
        let refusal = ConfigurationError("\"\(key)\" contains no private key in PEM format")
        #expect(throws: refusal) { try server.reloadCertificate() }
        await server.stop()
    }

    @Test func `a server without TLS has no certificate to reload`() async throws {
        let authority = try Authority()
        let server = try await Server(configuration(authority.path("data")), logger: logger)
        #expect(server.tlsAddress == nil)
        #expect(throws: ConfigurationError.self) { try server.reloadCertificate() }
        await server.stop()
    }

    @Test func `a server whose certificate is unusable does not start`() async throws {
        let authority = try Authority()
        let absent = authority.path("absent")
        await #expect(throws: ConfigurationError("cannot read \"\(absent)\": No such file or directory")) {
            var configuration = configuration(authority.path("data"))
            configuration.tls = Configuration.TLS(port: 0, certificatePath: absent, keyPath: absent)
            _ = try await Server(configuration, logger: logger)
        }
    }
}
