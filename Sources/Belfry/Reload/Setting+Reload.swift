extension Setting {
    /// The place of a setting in a configuration, used to compare and copy it.
    struct Place: Sendable {
        let isSame: @Sendable (Belfry.Configuration, Belfry.Configuration) -> Bool
        let copy: @Sendable (_ from: Belfry.Configuration, _ to: inout Belfry.Configuration) -> Void

        init<Value: Equatable & SendableMetatype>(_ path: WritableKeyPath<Belfry.Configuration, Value> & Sendable) {
            isSame = { $0[keyPath: path] == $1[keyPath: path] }
            copy = { $1[keyPath: path] = $0[keyPath: path] }
        }
    }

    var place: Place {
        switch target {
        case .flag(let path): Place(path)
        case .number(_, let path): Place(path)
        case .milliseconds(_, let path): Place(path)
        case .port(let path): Place(path)
        case .path(let path): Place(path)
        case .text(_, let path): Place(path)
        case .texts(_, let place, _): place
        case .choice(_, let place, _): place
        }
    }

    /// Returns the value of a numeric setting in a configuration, or nil for other kinds of setting.
    package func number(in configuration: Belfry.Configuration) -> Int? {
        switch target {
        case .number(_, let path): configuration[keyPath: path]
        case .milliseconds(_, let path): Int(configuration[keyPath: path])
        default: nil
        }
    }
}

/// The changes that a new configuration makes to a running server: setting names in table order.
struct SettingsChange: Equatable {
    var applied: [String] = []
    /// Settings that differ from those at startup and take effect only after a restart.
    var needingRestart: [String] = []
}

extension Belfry.Configuration {
    /// Applies the settings that can change at runtime and leaves the others unchanged.
    mutating func adopt(_ fresh: Belfry.Configuration) -> SettingsChange {
        var change = SettingsChange()
        for setting in Setting.table {
            let place = setting.place
            guard !place.isSame(self, fresh) else { continue }
            if setting.isReloaded {
                place.copy(fresh, &self)
                configured[setting.key] = fresh.configured[setting.key]
                change.applied.append(setting.key)
            } else {
                change.needingRestart.append(setting.key)
            }
        }
        return change
    }
}
