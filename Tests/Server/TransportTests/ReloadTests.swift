import ChatModel
import Gateway
import Logging
import Synchronization
import Testing
import Transport

@testable import Belfry

@Suite struct SettingsReloadTests {
    /// Returns a text that a setting accepts in the environment and that is not its default.
    private func other(_ setting: Setting) -> String {
        let usual = Belfry.Configuration()
        switch setting.target {
        case .flag(let path): return usual[keyPath: path] ? "false" : "true"
        case .number(let range, let path):
            return "\(range.lowerBound + (usual[keyPath: path] == range.lowerBound ? 1 : 0))"
        case .milliseconds(let range, let path):
            return "\(range.lowerBound + (usual[keyPath: path] == Int64(range.lowerBound) ? 1 : 0))"
        case .port: return "9"
        case .path, .text: return "/other"
        case .texts:
            let texts = [
                "server.allowed_origins": "https://chat.example.com", "cluster.url": "nats://127.0.0.1:4222",
                "admin.allowed_hosts": "console.example.com",
            ]
            return texts[setting.key] ?? "10.0.0.0/8"
        case .choice(let names, _, let take):
            return names.first { name in
                var changed = usual
                return take(name, &changed) && !setting.place.isSame(usual, changed)
            } ?? ""
        }
    }

    @Test(arguments: Setting.table.map(\.key))
    func `a reload adopts a reloadable setting, and reports that any other requires a restart`(key: String) async throws
    {
        let setting = try #require(Setting.table.first { $0.key == key })
        var fresh = Belfry.Configuration()
        var environment = [setting.environmentName: other(setting)]
        // Either setting is refused without the other.
        if key == "server.proxy_protocol" { environment["BELFRY_SERVER_TRUSTED_PROXIES"] = "10.0.0.0/8" }
        try await fresh.apply(settingsFile: nil, environment: environment)
        var running = Belfry.Configuration()
        let change = running.adopt(fresh)
        #expect(change.applied == (setting.isReloaded ? [key] : []))
        #expect(change.needingRestart.contains(key) == !setting.isReloaded)
        #expect(setting.place.isSame(running, fresh) == setting.isReloaded)
        #expect(running.adopt(fresh).applied.isEmpty, "the second time there is nothing new")
        #expect(running.adopt(fresh).needingRestart == change.needingRestart, "and it is still to be restarted")
    }

    @Test func `a setting removed from the file returns to its default`() async throws {
        var running = Belfry.Configuration()
        var fresh = running
        try await fresh.apply(
            settingsFile: nil,
            environment: ["BELFRY_LOG_LEVEL": "debug", "BELFRY_SERVER_ALLOWED_ORIGINS": "https://chat.example.com"])
        #expect(running.adopt(fresh).applied == ["log.level", "server.allowed_origins"])
        #expect(running.logLevel == .debug)
        #expect(running.adopt(Belfry.Configuration()).applied == ["log.level", "server.allowed_origins"])
        #expect(running.logLevel == nil && running.limits.connection.origins.origins.isEmpty)
    }

    @Test func `a setting equal to its default does not count as a change`() async throws {
        var fresh = Belfry.Configuration()
        try await fresh.apply(settingsFile: nil, environment: ["BELFRY_SERVER_DRAIN_MS": "5000"])
        var running = Belfry.Configuration()
        #expect(running.adopt(fresh) == SettingsChange())
    }
}

@Suite struct AdoptedLimitsTests {
    @Test func `a user's rate changes immediately, also for users already tracked`() throws {
        let ann = try #require(UserID("ann"))
        let rates = CommandRates(TokenBucket.Rate(perSecond: 1, burst: 1))
        #expect(rates.charge(ann, now: 0) == nil && rates.charge(ann, now: 0) != nil)
        rates.adopt(TokenBucket.Rate(perSecond: 1_000, burst: 10))
        #expect(rates.charge(ann, now: 0) == 1, "an empty bucket of the new rate")
        #expect(rates.charge(ann, now: 2) == nil)
        rates.adopt(TokenBucket.Rate(perSecond: 1, burst: 1))
        #expect(rates.charge(ann, now: 2) != nil)
    }
}

@Suite struct SharedLevelLogTests {
    private final class Lines: Sendable {
        let texts = Mutex<[String]>([])
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.critical
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { lines.texts.withLock { $0.append("\(event.message) \(metadata)") } }
    }

    @Test func `the log level is shared by all copies of a logger, metadata belongs to each copy`() {
        let lines = Lines()
        let logger = Logger(label: "test") { _ in SharedLevelLogHandler(Handler(lines: lines), level: .notice) }
        var other = logger
        other[metadataKey: "of"] = "other"
        logger.info("unheard")
        other.logLevel = .info
        logger.info("heard")
        other.info("heard, too")
        other.logLevel = .error
        logger.notice("unheard")
        #expect(lines.texts.withLock { $0 } == ["heard [:]", #"heard, too ["of": other]"#])
    }
}
