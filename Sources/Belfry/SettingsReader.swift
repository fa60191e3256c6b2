import Configuration
import SystemPackage

/// Reads settings from a file and the environment, which takes precedence.
package enum SettingsReader {
    /// - Parameter filePath: A JSON file with two levels: sections, and settings within them.
    /// - Throws: For an unknown name, a wrong type and a value out of range; each error names the setting.
    package static func apply(
        filePath: String?, environment: [String: String], to configuration: inout Belfry.Configuration
    ) async throws(ConfigurationError) {
        var providers: [any ConfigProvider] = [
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "belfry")
        ]
        var keysInFile: Set<String> = []
        if let filePath {
            keysInFile = Set(try ConfiguredSetting.values(in: filePath).keys)
            do {
                providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(filePath)))
            } catch {
                throw ConfigurationError("cannot read \"\(filePath)\": \(error)")
            }
        }
        for key in keysInFile.sorted() where !Setting.table.contains(where: { $0.key == key }) {
            throw ConfigurationError("unknown setting \"\(key)\" in \"\(filePath ?? "")\"")
        }
        let reader = ConfigReader(providers: providers)
        for setting in Setting.table
        where keysInFile.contains(setting.key) || environment[setting.environmentName] != nil {
            try setting.read(from: reader, into: &configuration)
        }
        for setting in try ConfiguredSetting.all(settingsFile: filePath, environment: environment) {
            configuration.configured[setting.key] = setting
        }
        let proxies = configuration.limits.connection.proxies
        if proxies.sendHeader, proxies.ranges.isEmpty {
            throw ConfigurationError(
                "server.proxy_protocol needs server.trusted_proxies: the header is accepted from these addresses only")
        }
        // A message within its limit must also fit into one frame.
        configuration.limits.connection.webSocket.frameBytes = configuration.limits.connection.webSocket.messageBytes
    }
}

extension Setting {
    fileprivate func read(
        from reader: ConfigReader, into configuration: inout Belfry.Configuration
    ) throws(ConfigurationError) {
        let configKey = ConfigKey(key)
        switch target {
        case .flag(let path):
            guard let value = try? reader.requiredBool(forKey: configKey) else {
                throw ConfigurationError("\(key) must be true or false")
            }
            configuration[keyPath: path] = value
        case .number(let range, let path):
            configuration[keyPath: path] = try number(range, reader)
        case .milliseconds(let range, let path):
            configuration[keyPath: path] = Int64(try number(range, reader))
        case .port(let path):
            configuration[keyPath: path] = UInt16(try number(0...Int(UInt16.max), reader))
        case .path(let path):
            guard let value = try? reader.requiredString(forKey: configKey), !value.isEmpty else {
                throw ConfigurationError("\(key) must be a path")
            }
            configuration[keyPath: path] = value
        case .text(let what, let path):
            guard let value = try? reader.requiredString(forKey: configKey), (1...2_048).contains(value.utf8.count),
                value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
            else { throw ConfigurationError("\(key) must be a string: \(what)") }
            configuration[keyPath: path] = value
        case .texts(let what, _, let store):
            guard let texts = try? reader.requiredStringArray(forKey: configKey), store(texts, &configuration) else {
                throw ConfigurationError("\(key) must be a list of \(what)")
            }
        case .choice(let names, _, let store):
            guard let name = try? reader.requiredString(forKey: configKey), store(name, &configuration) else {
                throw ConfigurationError("\(key) must be one of \(names.joined(separator: ", "))")
            }
        }
    }

    private func number(_ range: ClosedRange<Int>, _ reader: ConfigReader) throws(ConfigurationError) -> Int {
        guard let value = try? reader.requiredInt(forKey: ConfigKey(key)), range.contains(value) else {
            throw ConfigurationError("\(key) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }
}

extension Belfry.Configuration {
    /// Applies the settings of a JSON file and of the environment (`BELFRY_<SECTION>_<NAME>`, which takes precedence).
    ///
    /// - Throws: For an unknown name, a wrong type and a value out of range; each error names the setting.
    public mutating func apply(
        settingsFile: String?, environment: [String: String]
    ) async throws(ConfigurationError) {
        try await SettingsReader.apply(filePath: settingsFile, environment: environment, to: &self)
    }
}
