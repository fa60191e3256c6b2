extension Setting {
    /// The value of a numeric setting in a configuration; nil for other kinds of setting.
    package func number(in configuration: Belfry.Configuration) -> Int? {
        switch target {
        case .number(_, let path): configuration[keyPath: path]
        case .milliseconds(_, let path): Int(configuration[keyPath: path])
        default: nil
        }
    }
}
