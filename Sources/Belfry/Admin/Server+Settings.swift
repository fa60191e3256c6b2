import ChatModel
import WireProtocol

/// `/settings`: every setting with its value and origin.
extension Server {
    /// - Throws: The chat's rejection if the settings that were changed at run time cannot be read.
    func settingsJSON() async throws(Rejection) -> [UInt8] {
        let chat = WireEncoder().encode(try await call(GetSettings(), as: .server).settings)
        let changeable = try? JSONFields(chat[...])
        let effective = settings.configuration
        var writer = JSONWriter(capacity: 16_384)
        writer.object { object in
            object.objects("settings", Setting.table) { setting, object in
                object.field("key", setting.key)
                let parts = setting.key.split(separator: ".")
                let current = parts[0] == "chat" ? changeable?.raw(String(parts[1])).map(Array.init) : nil
                setting.describe(in: effective, changedTo: current, &object)
            }
        }
        return writer.bytes
    }
}

/// The place where a setting got its value.
private enum SettingOrigin: String {
    case `default`, environment, file, option
    /// Set by the program that embeds the server.
    case program
    /// Changed by `settings.update`.
    case runtime
}

extension Setting {
    /// - Parameters:
    ///   - current: The value as JSON, of a setting that `settings.update` can change.
    fileprivate func describe(
        in configuration: Belfry.Configuration, changedTo current: [UInt8]?, _ object: inout JSONWriter
    ) {
        let configured = configuration.configured[key]
        let value = json(in: configuration)
        if let value = current ?? value {
            object.raw("value", value)
        } else if let configured {
            object.field("value", configured.value)
        }
        if let current, current != value {
            object.field("origin", SettingOrigin.runtime.rawValue)
        } else {
            object.field("origin", origin(in: configuration).rawValue)
            if let configured { object.field("source", configured.source) }
        }
        object.field("is_changeable", current != nil)
        object.field("is_reloaded", isReloaded)
    }

    private func origin(in configuration: Belfry.Configuration) -> SettingOrigin {
        guard let configured = configuration.configured[key] else {
            return place.isSame(configuration, Belfry.Configuration()) ? .default : .program
        }
        if configured.source == environmentName { return .environment }
        return configured.source.hasPrefix("--") ? .option : .file
    }

    /// Returns the value as JSON; nil for a list, which is shown as it was written, and for a setting without a value.
    private func json(in configuration: Belfry.Configuration) -> [UInt8]? {
        let encoder = WireEncoder()
        return switch target {
        case .flag(let path): encoder.encode(configuration[keyPath: path])
        case .number(_, let path): encoder.encode(configuration[keyPath: path])
        case .milliseconds(_, let path): encoder.encode(configuration[keyPath: path])
        case .port(let path): configuration[keyPath: path].map { encoder.encode(Int($0)) }
        case .path(let path), .text(_, let path): configuration[keyPath: path].map { encoder.encode($0) }
        case .texts: nil
        case .choice(let names, let place, let store):
            names.first { name in
                var other = configuration
                return store(name, &other) && place.isSame(configuration, other)
            }.map { encoder.encode($0) }
        }
    }
}
