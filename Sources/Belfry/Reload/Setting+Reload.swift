extension Setting {
    /// Where a setting is in a configuration, to be compared and carried over.
    struct Place: Sendable {
        let isSame: @Sendable (Belfry.Configuration, Belfry.Configuration) -> Bool
        let carry: @Sendable (_ from: Belfry.Configuration, _ to: inout Belfry.Configuration) -> Void

        init<Value: Equatable & SendableMetatype>(_ path: WritableKeyPath<Belfry.Configuration, Value> & Sendable) {
            isSame = { $0[keyPath: path] == $1[keyPath: path] }
            carry = { $1[keyPath: path] = $0[keyPath: path] }
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
}

/// What another configuration brings to a running server, by the names of settings, in the order of their table.
struct SettingsChange: Equatable {
    var taken: [String] = []
    /// Those that are other than they were at the start, and stay so.
    var needingRestart: [String] = []
}

extension Belfry.Configuration {
    /// Takes over the settings that a running server can take over, and leaves the others.
    mutating func adopt(_ fresh: Belfry.Configuration) -> SettingsChange {
        var change = SettingsChange()
        for setting in Setting.table {
            let place = setting.place
            guard !place.isSame(self, fresh) else { continue }
            if setting.isReloaded {
                place.carry(fresh, &self)
                change.taken.append(setting.key)
            } else {
                change.needingRestart.append(setting.key)
            }
        }
        return change
    }
}
