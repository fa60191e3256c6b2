import WireProtocol

/// A setting that was set explicitly, and the place where it was set.
package struct ConfiguredSetting: Sendable, Equatable {
    package let key: String
    /// The value as written: JSON in a file, plain text in the environment.
    package let value: String
    /// The path of the file, or the name of the variable.
    package let source: String

    package init(key: String, value: String, source: String) {
        self.key = key
        self.value = value
        self.source = source
    }

    /// Returns all explicit settings in table order, without validating their values.
    ///
    /// - Throws: When the file cannot be read or is not a JSON object of sections.
    package static func all(
        settingsFile: String?, environment: [String: String]
    ) throws(ConfigurationError) -> [ConfiguredSetting] {
        let inFile = try settingsFile.map { (path) throws(ConfigurationError) in try values(in: path) } ?? [:]
        return Setting.table.compactMap { setting in
            if let value = environment[setting.environmentName] {
                return ConfiguredSetting(key: setting.key, value: value, source: setting.environmentName)
            }
            return inFile[setting.key].map {
                ConfiguredSetting(key: setting.key, value: $0, source: settingsFile ?? "")
            }
        }
    }

    /// Returns environment variables that have the prefix of a setting but name none, sorted.
    package static func unknown(in environment: [String: String]) -> [String] {
        let sections = Set(Setting.table.map { "BELFRY_" + $0.key.prefix { $0 != "." }.uppercased() + "_" })
        let known = Set(Setting.table.map(\.environmentName) + SecretFiles.variables)
        return environment.keys.filter { name in
            !known.contains(name) && sections.contains { name.hasPrefix($0) }
        }.sorted()
    }

    static func values(in path: String) throws(ConfigurationError) -> [String: String] {
        let bytes = try DataFolder.read(path)
        do throws(JSONSyntaxError) {
            var values: [String: String] = [:]
            for (section, fields) in try JSONFields(bytes).objects() {
                for name in fields.keys {
                    let value = fields.raw(name).map { String(decoding: $0, as: UTF8.self) }
                    values["\(section).\(name)"] = value ?? "null"
                }
            }
            return values
        } catch {
            throw ConfigurationError("\"\(path)\" must be a JSON object of sections and settings: \(error)")
        }
    }
}
